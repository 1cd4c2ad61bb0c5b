"""What can go wrong with a device, as one tree; every error says what happened, where, and what to do."""

from __future__ import annotations


class DeviceError(Exception):
    """Root of what a device, its line or its protocol raises; catch it at a thread's end."""


class LinkError(DeviceError):
    """The byte pipe to a device failed. ``port`` is the line's name as configured.

    Raised by transports only. Cards may have moved until the device's window was full or its lease ended; it
    keeps their events. Close the transport, tell the core ``disconnected``, and open again.
    """

    def __init__(self, port: str, what: str, remedy: str) -> None:
        super().__init__(f"{port}: {what}; {remedy}")
        self.port = port
        self.what = what
        self.remedy = remedy


class LinkNotFoundError(LinkError):
    """Raised when opening: no device stands at this port.

    No card moves on our account: a device that nobody renews holds itself. Plug it in or correct the path in
    the configuration; opening is tried again meanwhile.
    """


class LinkBusyError(LinkError):
    """Raised when opening: another process has this port.

    Cards may be moving under that process's orders. Find and stop it; two controllers never share a device.
    """


class LinkPermissionError(LinkError):
    """Raised when opening: this user may not open the port.

    No card moves on our account. Add the user to the port's group.
    """


class LinkLostError(LinkError):
    """Raised when reading or writing: the pipe is gone (unplugged, hung up, failed).

    Cards may have moved until the device's lease ran out, at most a window of them. Close and open again: the
    device still keeps the events.
    """


class LinkUnpluggedError(LinkLostError):
    """Raised when reading or writing: the port itself is gone. As ``LinkLostError``; plug the device in again."""


class LinkTimeoutError(LinkError):
    """Raised when writing: the line took no more bytes within the write timeout.

    Part of a frame may have gone out; the far side drops it by its check. Cards may have moved until the
    lease ran out. Close and open again: never write on after it.
    """


class ProtocolError(DeviceError):
    """Somebody broke the protocol. Abstract: raised only as one of the two below, which say who."""

    def __init__(self, message: str) -> None:
        if type(self) is ProtocolError:
            raise TypeError("ProtocolError is abstract: raise LocalProtocolError or RemoteProtocolError")
        super().__init__(message)


class LocalProtocolError(ProtocolError):
    """We did: a message that cannot be laid out, or a core used against its contract.

    Raised before anything is sent, so no card has moved on its account. A defect of this program: report it.
    """


class RemoteProtocolError(ProtocolError):
    """The device did: bytes that are no message of this protocol.

    Raised by the codec, caught and counted by the link core, which drops the frame and goes on. Cards may
    have moved: a dropped event is still kept by the device and asked for. If it repeats, look at the cable,
    then at the firmware.
    """


class CaptureError(DeviceError):
    """A file is no capture of a link, or one of a driver that is unknown here. No device is touched."""
