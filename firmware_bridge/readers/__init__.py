"""Readers of the journal: they may die without the table noticing. A controller imports only what it needs of them."""
