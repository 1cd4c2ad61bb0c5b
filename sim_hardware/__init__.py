"""Simulated card machinery: mechanics, firmware, ports. The product never imports this package."""
