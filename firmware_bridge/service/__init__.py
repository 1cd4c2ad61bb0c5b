"""The composition root: configuration, people, logs, and the threads around the controller."""
