"""What passed over a line, kept for a diagnosis as far as it is no secret: the last pieces, and all in a capture.

Whether it is one, the device says and not the configuration, for a cable may be on another's port: what comes before
the link's hello, and while what answers is refused, may be a keypad's, and so a PIN. Of that only how much is kept.

A wire of another kind has no heartbeat by which an exchanged cable shows, and one on which the device never speaks is
open without a word. So of such a wire nothing is kept but what its driver knows as its own whole frames (``Shows``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from drivers.capture import Capture, Passed
from drivers.protocol.framing import END, MAX_FRAME, FrameDecoder
from drivers.protocol.messages import Capability
from drivers.protocol.notices import LinkLost, LinkOpened, LinkRefused, Notice
from drivers.shown import Judge, Shows

LAST_PIECES = 16
LONGEST_PIECE = 64
"""How many of the last pieces that a line carried are told with an error, and how many bytes of each."""


class Tap:
    """Stands between a port and its core: it is shown what comes before the core is, and what the core then tells.

    ``shows`` makes what judges a wire of another kind, anew for each opening; None is sabot/1.
    """

    def __init__(self, capture: Capture | None = None, shows: Judge | None = None) -> None:
        self.is_clear = False
        """Whether the link is open, and no keypad's: what comes is no secret."""
        self.is_keypads = False
        """Whether its hello said that it sends strokes: no word about what comes is safe."""
        self._capture = capture
        self._makes_judge = shows
        self._pieces: deque[str] = deque(maxlen=LAST_PIECES)
        self._awaited = b""
        self._begin()

    def _begin(self) -> None:
        self._frame = b""
        """What came since the last frame's end."""
        self._judge = self._makes_judge() if self._makes_judge is not None else None
        self._shown = 0
        """How many bytes of it were written: a link may be lost in the middle of a frame."""

    @property
    def pieces(self) -> list[str]:
        """The last pieces: ``>`` and hex for what was sent, ``<`` for what came; of a secret one its length."""
        return list(self._pieces)

    def opened(self) -> None:
        """The core is told that it is connected."""
        self.is_clear, self.is_keypads, self._awaited = False, False, b""
        self._begin()
        self._note("opened")

    def received(self, data: bytes) -> None:
        """The core is given this next; the empty piece of a line that says nothing is none."""
        if self.is_clear and data and self._judge is None:
            self._show(data)
        else:
            self._awaited = data

    def told(self, notices: Iterable[Notice]) -> None:
        """The core told this of what it was given last: only now it may be known who sent that."""
        for notice in notices:
            if isinstance(notice, LinkOpened):
                self.is_keypads = Capability.SENDS_STROKES in notice.hello.capabilities
                self.is_clear = not self.is_keypads
            elif isinstance(notice, LinkLost | LinkRefused):
                self.is_clear = False
        data, self._awaited = self._awaited, b""
        if not data:
            return
        if self._judge is not None:
            self._show_frames(self._judge, data)
        elif self.is_clear:
            self._show(data)
        else:
            self._hide(data)

    def _show_frames(self, judge: Shows, data: bytes) -> None:
        """Write the whole frames of another kind of wire, and how much came that is none."""
        came = judge.held + len(data)
        frames = judge.feed(data)
        if not self.is_clear:
            frames = b""
        if frames:
            self._keep("in", frames)
        if lost := came - len(frames) - judge.held:
            self._pieces.append(f"<{lost} bytes")
            self._note("in", masked=lost)

    def _show(self, data: bytes) -> None:
        """Write what came, and what has come of its first frame and was not written."""
        frame = self._frame + data
        self._keep("in", frame[self._shown :])
        self._follow(frame, shown=True)

    def _hide(self, data: bytes) -> None:
        """Write how much came, and of a frame that began in the open its end: a replay hears nothing else behind it.

        Its bytes, if they make it whole, for then it has one sender; otherwise the zero alone.
        """
        frame = self._frame + data
        rest, ended, _ = frame.partition(END)
        written = b""
        if ended and self._shown:
            written = rest[self._shown :] + END if FrameDecoder().feed(rest + END) else END
        self._pieces.append(f"<{len(data)} bytes")
        self._note("in", written, masked=len(data))
        self._follow(frame, shown=False)

    def _follow(self, frame: bytes, *, shown: bool) -> None:
        """Forget whole frames; of one that has begun keep no more than sabot/1's longest: it may be the hello's."""
        _, ended, rest = frame.rpartition(END)
        if shown or ended:
            self._shown = len(rest) if shown else 0
        self._frame = rest[-MAX_FRAME:]
        if self._shown:  # of one too long a byte still counts as written, so that its end is
            self._shown = max(1, self._shown - (len(rest) - len(self._frame)))

    def sent(self, data: bytes) -> None:
        """This leaves next: noted first, for part of it may be out where the writing fails."""
        if data == END:  # that the line hears the host: nothing for a diagnosis, and it would drive out what is
            self._note("out", data)
        else:
            self._keep("out", data)

    def closed(self) -> None:
        """The port is closed."""
        self._note("closed")

    def _keep(self, what: Passed, data: bytes) -> None:
        self._pieces.append(("<" if what == "in" else ">") + data[:LONGEST_PIECE].hex())
        self._note(what, data)

    def _note(self, what: Passed, data: bytes = b"", masked: int = 0) -> None:
        if self._capture is not None:
            self._capture.note(what, data, masked)
