"""What a USB port does, on a bus of simulated devices under the real pyusb."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import usb.core
import usb.util
from pytest_mock import MockerFixture

from drivers.errors import (
    LinkBusyError,
    LinkError,
    LinkLostError,
    LinkNotFoundError,
    LinkPermissionError,
    LinkTimeoutError,
    LinkUnpluggedError,
)
from drivers.transport import usb_port
from drivers.transport.usb_address import (
    BOOT_KEYBOARD,
    SET_IDLE,
    SET_PROTOCOL,
    VENDOR,
    UsbAddress,
    UsbInterface,
)
from drivers.transport.usb_port import UsbPort, place_of
from sim_hardware.usb_bus import PACKET, UsbBus, UsbPlug, UsbProduct

LIMIT = 10.0
PRODUCT = UsbProduct(0x1209, 0x0001, "SIM0001")
ADDRESS = UsbAddress.parse("usb:1209:0001:SIM0001")


@pytest.fixture
def bus() -> Iterator[UsbBus]:
    bus = UsbBus()
    yield bus
    assert bus.handles == 0, "a device is still open"
    for plug in list(bus.plugs):
        plug.close()


@pytest.fixture
def plug(bus: UsbBus) -> UsbPlug:
    return UsbPlug(bus, PRODUCT)


def opened(bus: UsbBus, address: UsbAddress = ADDRESS, interface: UsbInterface = VENDOR) -> closing[UsbPort]:
    return closing(UsbPort(address, interface, bus))


@pytest.mark.parametrize("text", ["usb:1209:0001:SIM0001", "usb:0483:5740@1-2.3", "usb:1209:0001:a-b/c.1"])
def test_an_address_is_written_as_it_is_read(text: str) -> None:
    assert str(UsbAddress.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "usb:", "usb:1209:0001", "usb:1209:1:X", "usb:1209:000G:X", "usb:1209:0001:", "usb:1209:0001@x", "/dev"],
)
def test_another_text_names_no_device(text: str) -> None:
    with pytest.raises(ValueError, match="names no USB device"):
        UsbAddress.parse(text)


def test_what_one_end_sends_the_other_receives(bus: UsbBus, plug: UsbPlug) -> None:
    with opened(bus) as port:
        port.write(b"\x00hello\xff")
        assert plug.read() == b"\x00hello\xff"
        plug.write(b"\x00there\r\n\x04")
        assert port.read(LIMIT) == b"\x00there\r\n\x04"
        assert port.read(0.0) == b""


def test_what_takes_many_packets_comes_whole_and_in_order(bus: UsbBus, plug: UsbPlug) -> None:
    sent = bytes(range(256)) * 3 + b"end"
    with opened(bus) as port:
        plug.write(sent)
        came = b""
        while len(came) < len(sent):
            came += port.read(LIMIT)
        assert came == sent
        assert port.read(0.0) == b""
        port.write(sent)
        assert plug.read() == sent


def test_bytes_are_read_when_they_come_and_not_when_the_time_is_up(bus: UsbBus, plug: UsbPlug) -> None:
    with opened(bus) as port, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(port.read, 10 * LIMIT)
        plug.write(b"x")
        assert reading.result(LIMIT) == b"x"


def test_cancel_ends_the_read_under_way_or_else_the_next_one_and_only_one(bus: UsbBus, plug: UsbPlug) -> None:
    with opened(bus) as port, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(port.read, 10 * LIMIT)
        port.cancel()
        assert reading.result(LIMIT) == b""
        port.cancel()
        port.cancel()
        assert port.read(10 * LIMIT) == b""
        plug.write(b"x")
        assert port.read(LIMIT) == b"x"


def test_no_transfer_waits_for_ever(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    """A time of 0 means that to pyusb."""
    del plug
    asked = mocker.spy(bus, "bulk_read")
    with opened(bus) as port:
        port.read(0.0)
        port.read(0.0001)
    assert all(call.args[-1] >= 1 for call in asked.call_args_list)


def test_only_its_own_thread_touches_the_device(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    del plug
    with opened(bus) as port:
        touched = [mocker.spy(bus, name) for name in ("bulk_read", "bulk_write", "ctrl_transfer", "release_interface")]
        thread = threading.Thread(target=port.cancel)
        thread.start()
        thread.join(LIMIT)
        assert not any(spy.called for spy in touched)


# ---- which device


@pytest.mark.field("BR-030")
def test_a_device_is_found_by_its_serial_number_wherever_it_is_plugged_in(bus: UsbBus) -> None:
    for number in (1, 2, 3):
        UsbPlug(bus, UsbProduct(0x1209, 0x0001, f"SIM000{number}"), (number,))
    with opened(bus, UsbAddress.parse("usb:1209:0001:SIM0002")) as port:
        bus.plugs[1].write(b"second")
        assert port.read(LIMIT) == b"second"


@pytest.mark.field("BR-030")
@pytest.mark.parametrize("serial", ["", "0001"])
def test_of_devices_whose_serial_numbers_tell_nothing_the_physical_port_says_which(bus: UsbBus, serial: str) -> None:
    for place in ((2, 1), (2, 3)):
        UsbPlug(bus, UsbProduct(0x1209, 0x0001, serial), place)
    with opened(bus, UsbAddress.parse("usb:1209:0001@1-2.3")) as port:
        bus.plugs[1].write(b"third")
        assert port.read(LIMIT) == b"third"


@pytest.mark.field("BR-030")
def test_two_devices_with_one_serial_number_are_not_told_apart_by_it(bus: UsbBus) -> None:
    for place in ((2, 1), (2, 3)):
        UsbPlug(bus, PRODUCT, place)
    with pytest.raises(LinkNotFoundError, match=r"two devices.*1-2\.1, 1-2\.3.*physical port"):
        UsbPort(ADDRESS, backend=bus)


def test_three_reasons_for_no_device_are_three_messages(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    plug.is_forbidden = True
    with pytest.raises(LinkPermissionError, match=r"may not open.*udev rule"):
        UsbPort(ADDRESS, backend=bus)
    with pytest.raises(LinkPermissionError, match=r"may not open.*udev rule"):
        UsbPort(UsbAddress.parse("usb:1209:0001@1-1"), backend=bus)
    plug.unplug()
    with pytest.raises(LinkNotFoundError, match=r"no such USB device.*plug the device in"):
        UsbPort(ADDRESS, backend=bus)
    mocker.patch.object(usb_port.usb.core, "find", side_effect=usb.core.NoBackendError("No backend available"))
    with pytest.raises(LinkNotFoundError, match=r"no libusb.*install"):
        UsbPort(ADDRESS)


def test_a_device_that_may_not_be_opened_keeps_nobody_from_the_one_that_is_meant(bus: UsbBus, plug: UsbPlug) -> None:
    UsbPlug(bus, UsbProduct(0x1209, 0x0001, "OTHER"), (4,)).is_forbidden = True
    with opened(bus) as port:
        plug.write(b"x")
        assert port.read(LIMIT) == b"x"


def test_where_another_of_the_product_is_plugged_in_is_said(bus: UsbBus) -> None:
    UsbPlug(bus, UsbProduct(0x1209, 0x0001, "OTHER"), (4,))
    with pytest.raises(LinkNotFoundError, match="another of this product is at 1-4"):
        UsbPort(ADDRESS, backend=bus)


def test_a_device_without_the_interface_is_not_taken(bus: UsbBus, plug: UsbPlug) -> None:
    del plug
    with pytest.raises(LinkNotFoundError, match=r"no interface.*03/01/01"):
        UsbPort(ADDRESS, BOOT_KEYBOARD, bus)


def test_an_interface_whose_transfers_may_lose_bytes_is_not_taken(bus: UsbBus) -> None:
    UsbPlug(bus, UsbProduct(0x1209, 0x0001, "SIM0001", transfer=usb.util.ENDPOINT_TYPE_ISO))
    with pytest.raises(LinkNotFoundError, match="no interface"):
        UsbPort(ADDRESS, backend=bus)


# ---- whose interface


@pytest.mark.field("BR-033")
def test_a_thousand_openings_beside_a_system_driver_leave_nothing_behind(bus: UsbBus) -> None:
    """The second interface is the system's all the while: on a configured device nobody sets the configuration."""
    plug = UsbPlug(bus, UsbProduct(0x1209, 0x0001, "SIM0001", others=1))
    plug.system_drives = {0, 1}
    for number in range(1000):
        with opened(bus) as port:
            assert plug.system_drives == {1}
            port.write(b"x")
            if number % 2:
                plug.stalls = True
                with pytest.raises(LinkLostError):
                    port.read(LIMIT)
                plug.stalls = False
        assert plug.system_drives == {0, 1}, "handed back, also after an error"
        assert plug.node is not None
        assert not plug.node.claimed
        assert bus.handles == 0


@pytest.mark.field("BR-033")
def test_busy_is_asked_again_to_a_limit_and_then_said(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    pauses = mocker.patch.object(usb_port.time, "sleep")
    plug.is_busy = True
    with pytest.raises(LinkBusyError, match="kept it when asked 5 times; stop that program"):
        UsbPort(ADDRESS, backend=bus)
    assert pauses.call_count == usb_port.CLAIMS - 1
    pauses.side_effect = lambda _seconds: setattr(plug, "is_busy", False)
    opened(bus).__enter__().close()


@pytest.mark.field("BR-033")
def test_what_fails_otherwise_than_busy_is_not_asked_again(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    del plug
    pauses = mocker.patch.object(usb_port.time, "sleep")
    mocker.patch.object(bus, "claim_interface", side_effect=usb.core.USBError("No such device", -4, errno.ENODEV))
    with pytest.raises(LinkUnpluggedError):
        UsbPort(ADDRESS, backend=bus)
    assert not pauses.called


def test_an_interface_that_the_system_does_not_have_is_not_taken_from_it(
    bus: UsbBus, plug: UsbPlug, mocker: MockerFixture
) -> None:
    del plug
    sent_away = mocker.spy(bus, "detach_kernel_driver")
    opened(bus).__enter__().close()
    assert not sent_away.called


KEYS = UsbProduct(
    0x1209, 0x0002, "KEYS", interface=(3, 1, 1), packet=8, hears=False, transfer=usb.util.ENDPOINT_TYPE_INTR
)


@pytest.mark.parametrize("refused", [set(), {SET_IDLE}])
def test_a_keyboard_is_put_to_boot_reports_without_repeats_and_never_handed_back(
    bus: UsbBus, refused: set[int]
) -> None:
    """Setting the idle rate is a thing that a keyboard may refuse (HID 1.11, 7.2.4)."""
    plug = UsbPlug(bus, KEYS)
    plug.system_drives, plug.refused = {0}, refused
    with opened(bus, UsbAddress.parse("usb:1209:0002:KEYS"), BOOT_KEYBOARD) as port:
        assert plug.requests == [(one, 0, 0) for one in (SET_PROTOCOL, SET_IDLE) if one not in refused]
        plug.write(bytes(8))
        assert port.read(LIMIT) == bytes(8)
        with pytest.raises(LinkLostError, match="takes no bytes"):
            port.write(b"x")
    assert plug.system_drives == set()


def test_a_keyboard_that_is_gone_before_it_is_set_up_is_not_open(bus: UsbBus, mocker: MockerFixture) -> None:
    UsbPlug(bus, KEYS)
    mocker.patch.object(bus, "ctrl_transfer", side_effect=usb.core.USBError("No such device", -4, errno.ENODEV))
    with pytest.raises(LinkUnpluggedError):
        UsbPort(UsbAddress.parse("usb:1209:0002@1-1"), BOOT_KEYBOARD, bus)


def test_a_keyboard_that_is_not_the_configured_one_is_never_taken(bus: UsbBus) -> None:
    plug = UsbPlug(bus, KEYS)
    plug.system_drives = {0}
    with pytest.raises(LinkNotFoundError):
        UsbPort(UsbAddress.parse("usb:1209:0002:OTHER"), BOOT_KEYBOARD, bus)
    assert plug.system_drives == {0}
    assert not plug.requests


def test_a_device_that_nobody_configured_is_configured(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    del plug
    mocker.patch.object(bus, "get_configuration", side_effect=[0, 1, 1])
    setting = mocker.spy(bus, "set_configuration")
    opened(bus).__enter__().close()
    assert setting.call_count == 1


# ---- what goes wrong


def test_an_unplugged_device_is_said_to_be_unplugged_and_found_again(bus: UsbBus, plug: UsbPlug) -> None:
    with opened(bus) as port:
        plug.unplug()
        with pytest.raises(LinkUnpluggedError, match="plug it in again"):
            port.read(LIMIT)
        with pytest.raises(LinkUnpluggedError):
            port.write(b"x")
    plug.plug()
    with opened(bus) as port:
        plug.write(b"back")
        assert port.read(LIMIT) == b"back"


def test_unplugging_ends_a_read_at_once(bus: UsbBus, plug: UsbPlug) -> None:
    with opened(bus) as port, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(port.read, 10 * LIMIT)
        plug.unplug()
        with pytest.raises(LinkUnpluggedError):
            reading.result(LIMIT)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        *((number, LinkUnpluggedError) for number in (errno.ENODEV, errno.ENOENT, errno.ESHUTDOWN)),
        *((number, LinkPermissionError) for number in (errno.EACCES, errno.EPERM)),
    ],
)
def test_a_device_that_is_gone_and_one_that_is_forbidden_are_said_to_be_so(
    bus: UsbBus, plug: UsbPlug, mocker: MockerFixture, number: int, kind: type[LinkError]
) -> None:
    del plug
    mocker.patch.object(bus, "claim_interface", side_effect=usb.core.USBError("failed", -1, number))
    with pytest.raises(kind):
        UsbPort(ADDRESS, backend=bus)


@pytest.mark.parametrize("number", [5, 32, 71])
def test_a_transfer_that_fails_is_a_lost_link(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture, number: int) -> None:
    del plug
    with opened(bus) as port:
        mocker.patch.object(bus, "bulk_read", side_effect=usb.core.USBError("Input/Output Error", -1, number))
        with pytest.raises(LinkLostError, match=r"the transfer failed.*Input/Output Error"):
            port.read(LIMIT)


def test_a_write_that_is_not_taken_ends_and_is_said(bus: UsbBus, plug: UsbPlug, mocker: MockerFixture) -> None:
    plug.is_deaf = True
    with opened(bus) as port:
        with pytest.raises(LinkTimeoutError, match="took no more bytes"):
            port.write(b"x")
        mocker.patch.object(bus, "bulk_write", return_value=PACKET)
        with pytest.raises(LinkTimeoutError, match="64 of 100 went out"):
            port.write(bytes(100))


def test_using_a_closed_port_is_a_lost_link_and_closing_twice_does_nothing(bus: UsbBus, plug: UsbPlug) -> None:
    del plug
    with opened(bus) as port:
        port.close()
        for use in (lambda: port.read(0.0), lambda: port.write(b"x")):
            with pytest.raises(LinkError, match="closed"):
                use()
        port.cancel()


def test_a_place_is_named_as_the_system_names_it(bus: UsbBus) -> None:
    UsbPlug(bus, PRODUCT, (2, 4))
    assert place_of(usb.core.find(backend=bus)) == "1-2.4"
