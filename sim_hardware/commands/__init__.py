"""Commands that play: the demonstration and its scripted people. They alone may know the product and the simulator."""
