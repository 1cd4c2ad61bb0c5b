"""Byte pipes to the devices; ``serial_port.py`` alone knows pyserial."""
