"""The deciding part of the controller: state, procedures, accounts; pure but for the ports it is handed."""
