"""Files from a server into a folder: whole and checked, or not at all."""

import gzip
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import hear_ctrl_c

from imbfs.datasets import fetch as module
from imbfs.datasets.archives import unpack
from imbfs.datasets.fetch import RemoteFile, fetch
from imbfs.datasets.formats import compression
from imbfs.errors import UserError

BODY = b"+1 1:0.5 3:-2\n-1 2:1\n" * 20_000


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves what `pages` says: bytes, or a function of the handler; counts what it is asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked = {}, []
        self.over = threading.Event()  # ends the pages that are slow on purpose

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"

    def handle_error(self, request, client_address):
        pass  # clients here go away half way


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.lstrip("/")
        self.server.asked.append(name)
        page = self.server.pages.get(name)
        if page is None:
            self.send_error(404)
        elif callable(page):
            page(self)
        else:
            self.begin(len(page))
            self.wfile.write(page)

    def begin(self, length: int) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(module, "WAITS", (0.01, 0.01))
    serving = Server()
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield serving
    serving.over.set()
    serving.shutdown()
    serving.server_close()
    thread.join()


def truncated(handler) -> None:
    handler.begin(len(BODY))
    handler.wfile.write(BODY[: len(BODY) // 2])


def stalled(handler) -> None:
    truncated(handler)
    handler.wfile.flush()
    handler.server.over.wait(20)


def silent(handler) -> None:
    handler.server.over.wait(20)


def held(folder) -> set[str]:
    """Every file below a folder; the lock alone may stay behind."""
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    return files - {".fetch.lock"}


def refused(files, folder) -> str:
    """What a fetch that must fail says; it leaves neither a file nor a folder of its own."""
    before = held(folder)
    with pytest.raises(UserError) as error:
        fetch(files, folder, progress=False)
    assert held(folder) == before
    assert list(folder.glob(".fetching-*")) == []
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_file_is_fetched_into_its_place(server, tmp_path):
    server.pages["w8a"] = BODY
    wanted = RemoteFile(server.url("w8a"), "w8a/w8a", sha(BODY))
    assert fetch([wanted], tmp_path) == [tmp_path / "w8a/w8a"]
    assert (tmp_path / "w8a/w8a").read_bytes() == BODY
    assert held(tmp_path) == {"w8a/w8a"}


@pytest.mark.parametrize("known", [sha(BODY), None], ids=["hash known", "hash unknown"])
def test_a_file_that_is_there_is_not_fetched_again(known, server, tmp_path):
    server.pages["a"] = BODY
    wanted = RemoteFile(server.url("a"), "a", known)
    fetch([wanted], tmp_path)
    assert fetch([wanted], tmp_path) == [tmp_path / "a"]
    assert server.asked == ["a"]


def test_a_file_there_that_is_wrong_is_replaced(server, tmp_path):
    server.pages["a"] = BODY
    (tmp_path / "a").write_bytes(BODY[:-1])
    fetch([RemoteFile(server.url("a"), "a", sha(BODY))], tmp_path)
    assert (tmp_path / "a").read_bytes() == BODY


def test_a_folder_that_cannot_be_written_will_do_when_nothing_is_missing(tmp_path):
    (tmp_path / "a").write_bytes(BODY)
    tmp_path.chmod(0o500)
    try:
        wanted = RemoteFile("http://127.0.0.1:9/a", "a", sha(BODY))
        assert fetch([wanted], tmp_path) == [tmp_path / "a"]
        assert [path.name for path in tmp_path.iterdir()] == ["a"]  # not even a lock
    finally:
        tmp_path.chmod(0o700)


def test_a_page_that_is_not_there_is_asked_for_once(server, tmp_path):
    said = refused([RemoteFile(server.url("gone"), "gone")], tmp_path)
    assert said == f"{server.url('gone')}: the server answers 404 Not Found."
    assert server.asked == ["gone"]


def test_a_compressed_file_is_kept_compressed(server, tmp_path):
    packed = gzip.compress(BODY)

    def as_an_encoding_where_that_is_welcome(handler):
        handler.send_response(200)
        if "gzip" in handler.headers["Accept-Encoding"]:
            handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(packed)))
        handler.end_headers()
        handler.wfile.write(packed)

    server.pages["a.gz"] = as_an_encoding_where_that_is_welcome
    fetch([RemoteFile(server.url("a.gz"), "a.gz")], tmp_path)
    assert (tmp_path / "a.gz").read_bytes() == packed


def test_a_wrong_checksum_names_both_and_keeps_what_was_there(server, tmp_path):
    server.pages["a"] = BODY
    (tmp_path / "a").write_bytes(b"of old")
    said = refused([RemoteFile(server.url("a"), "a", sha(b"other"))], tmp_path)
    assert f"has sha256 {sha(BODY)}, not {sha(b'other')}." in said
    assert (tmp_path / "a").read_bytes() == b"of old"


def test_a_truncated_body_is_noticed_without_a_checksum(server, tmp_path):
    server.pages["a"] = truncated
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert said.endswith("the connection broke off half way. Tried 3 times.")
    assert server.asked == ["a"] * 3


def test_what_passes_is_tried_again_from_the_start(server, tmp_path):
    def better_each_time(handler):
        match len(server.asked):
            case 1:
                truncated(handler)
            case 2:
                handler.send_error(503)
            case _:
                handler.begin(len(BODY))
                handler.wfile.write(BODY)

    server.pages["a"] = better_each_time
    fetch([RemoteFile(server.url("a"), "a")], tmp_path)
    assert (tmp_path / "a").read_bytes() == BODY
    assert len(server.asked) == 3


def test_a_server_that_stays_broken_is_given_up(server, tmp_path):
    server.pages["a"] = lambda handler: handler.send_error(503)
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert said.endswith("the server answers 503 Service Unavailable. Tried 3 times.")


@pytest.mark.parametrize("slow", [stalled, silent], ids=["half way", "from the start"])
def test_a_server_that_falls_silent_is_given_up(slow, server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.2)
    server.pages["a"] = slow
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert said.endswith("the server sent nothing for 0.2 s. Tried 3 times.")


def sends(head: bytes, body: bytes = BODY):
    """A page that says these bytes, before the usual body."""

    def page(handler):
        handler.wfile.write(b"HTTP/1.0 " + head + b"\r\n\r\n" + body)

    return page


@pytest.mark.parametrize(
    "page, message",
    [
        (sends(b"200 OK\r\nContent-Length: abc"), "a length that is no number, 'abc'."),
        (sends(b"200 OK\r\nContent-Length: -5"), "a length that is no number, '-5'."),
        (sends(b"200 OK\r\nContent-Length: " + b"9" * 30), "a length that is no number"),
        (sends(b"200 OK"), "the server does not say how long it is: it could be cut unnoticed."),
        (sends(b"200 OK\r\nContent-Length: 0", b""), "is empty."),
        (sends(b"204 No Content\r\nContent-Length: 0", b""), "answers 204 No Content, not a file."),
        (sends(b"206 Partial\r\nContent-Length: 440000"), "answers 206 Partial, not a file."),
    ],
    ids=["text", "negative", "huge", "not told", "empty", "no content", "part"],
)
def test_an_answer_that_is_no_whole_file_is_refused_though_no_hash_is_known(
    page, message, server, tmp_path
):
    server.pages["a"] = page
    assert message in refused([RemoteFile(server.url("a"), "a")], tmp_path)


def test_a_body_of_untold_length_is_taken_where_its_hash_is_known(server, tmp_path):
    server.pages["a"] = sends(b"200 OK")
    fetch([RemoteFile(server.url("a"), "a", sha(BODY))], tmp_path)
    assert (tmp_path / "a").read_bytes() == BODY


def drips(before: bytes):
    """A page that goes on for ever, a byte at a time."""

    def page(handler):
        handler.wfile.write(before)
        while not handler.server.over.wait(0.01):
            handler.wfile.write(b"x")

    return page


def test_a_body_that_comes_byte_by_byte_is_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.2)
    server.pages["a"] = drips(b"HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n")
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert "is too slow: " in said and server.asked == ["a"]


def test_headers_that_come_byte_by_byte_are_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.1)
    server.pages["a"] = drips(b"HTTP/1.0 200 OK\r\nX: ")
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert said.endswith("the server has not begun to answer after 0.4 s.")


def endless(handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.over.is_set():
        handler.wfile.write(BODY)


def test_a_body_without_an_end_is_cut_at_what_the_file_may_have(server, tmp_path):
    server.pages["a"] = endless
    wanted = RemoteFile(server.url("a"), "a", sha(BODY), most=10_000_000)
    assert "has more than 10,000,000 bytes" in refused([wanted], tmp_path)
    server.pages["b"] = sends(b"200 OK\r\nContent-Length: 10000001")
    wanted = RemoteFile(server.url("b"), "b", most=10_000_000)
    assert "has 10,000,001 bytes, more than the 10,000,000 of" in refused([wanted], tmp_path)


def test_what_comes_packed_unasked_is_not_unpacked(server, tmp_path):
    packed = gzip.compress(bytes(50_000_000))
    server.pages["a"] = sends(
        b"200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d" % len(packed), packed
    )
    fetch([RemoteFile(server.url("a"), "a", most=100_000)], tmp_path)
    assert (tmp_path / "a").read_bytes() == packed


def test_a_chunked_body_that_is_cut_is_noticed(server, tmp_path):
    server.pages["a"] = sends(b"200 OK\r\nTransfer-Encoding: chunked", b"5\r\nab")
    said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    assert said.endswith("the connection broke off half way. Tried 3 times.")
    server.pages["a"] = lambda handler: handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    )
    fetch([RemoteFile(server.url("a"), "a")], tmp_path)
    assert (tmp_path / "a").read_bytes() == b"abc"


def test_no_network_is_said_so(server, tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/a"
    said = refused([RemoteFile(url, "a")], tmp_path)
    assert "cannot be reached (Connection refused). Is there a network?" in said


def test_a_web_page_in_place_of_a_file_is_refused(server, tmp_path):
    server.pages["a"] = b"\n<!DOCTYPE html><title>Please log in</title>"
    assert "is a web page" in refused([RemoteFile(server.url("a"), "a")], tmp_path)


def test_a_disk_without_room_is_said_so(server, tmp_path):
    resource = pytest.importorskip("resource")
    server.pages["a"] = BODY
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BODY) // 2, hard))
    try:
        said = refused([RemoteFile(server.url("a"), "a")], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert said == f"{tmp_path}: cannot be written: File too large."


def test_a_data_directory_that_is_a_file_is_said_so(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file: cannot be written"):
        fetch([RemoteFile(server.url("a"), "a")], tmp_path / "file")


@pytest.mark.parametrize("path", ["../a", "/a", "a/../../b", "..\\a", "C:\\a"])
def test_a_place_outside_the_folder_is_refused(path, tmp_path):
    with pytest.raises(UserError, match="is a path outside the data directory"):
        fetch([RemoteFile("http://127.0.0.1:9/a", path)], tmp_path)


def start(url: str, folder) -> subprocess.Popen:
    """A fetch in a process of its own."""
    code = (
        "import sys; from pathlib import Path; from imbfs.datasets.fetch import RemoteFile, fetch; "
        "fetch([RemoteFile(sys.argv[1], 'a')], Path(sys.argv[2]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, url, str(folder)],
        stderr=subprocess.DEVNULL,
        preexec_fn=hear_ctrl_c,
    )


def half_way(folder) -> None:
    """Wait until part of a body is on the disk."""
    deadline = time.monotonic() + 20
    while not any(path.stat().st_size for path in folder.glob(".fetching-*/body")):
        assert time.monotonic() < deadline, "nothing arrived"
        time.sleep(0.02)


def test_a_fetch_killed_half_way_leaves_nothing_under_the_name_and_starts_clean(server, tmp_path):
    server.pages["a"] = stalled
    process = start(server.url("a"), tmp_path)
    try:
        half_way(tmp_path)
    finally:
        process.kill()
        process.wait()
    assert not (tmp_path / "a").exists()
    server.pages["a"] = BODY
    fetch([RemoteFile(server.url("a"), "a")], tmp_path)
    assert (tmp_path / "a").read_bytes() == BODY
    assert held(tmp_path) == {"a"}


def test_an_interrupted_fetch_leaves_nothing(server, tmp_path):
    server.pages["a"] = stalled
    process = start(server.url("a"), tmp_path)
    try:
        half_way(tmp_path)
        process.send_signal(signal.SIGINT)
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    assert held(tmp_path) == set()
    assert list(tmp_path.glob(".fetching-*")) == []


def test_two_fetches_at_once_download_once(server, tmp_path, capfd):
    waiting = threading.Event()

    def slow(handler):
        waiting.set()
        time.sleep(0.3)
        handler.begin(len(BODY))
        handler.wfile.write(BODY)

    server.pages["a"] = slow
    wanted = [RemoteFile(server.url("a"), "a")]
    first = threading.Thread(target=fetch, args=(wanted, tmp_path))
    first.start()
    assert waiting.wait(20)
    fetch(wanted, tmp_path)
    first.join()
    assert server.asked == ["a"]
    assert "waiting for another fetch" in capfd.readouterr().err


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(mode: str, *infos: tarfile.TarInfo, **files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for info in infos:
            archive.addfile(info)
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def link(name: str, to: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, to
    return info


FILES = {"set/train": BODY, "set/test": b"-1 1:1\n"}
ARCHIVES = {
    "zip": zipped(**FILES),
    "tar": tarred("w", **FILES),
    "tar.gz": tarred("w:gz", **FILES),
    "tar.bz2": tarred("w:bz2", **FILES),
    "tar.xz": tarred("w:xz", **FILES),
}


@pytest.mark.parametrize("archive", ARCHIVES.values(), ids=ARCHIVES)
def test_the_members_of_an_archive_are_kept_and_it_is_fetched_once(archive, server, tmp_path):
    server.pages["archive"] = archive  # told by content: the address has no ending
    url = server.url("archive")
    wanted = [
        RemoteFile(url, "a/train", sha(BODY), "set/train"),
        RemoteFile(url, "a/test", None, "set/test"),
    ]
    assert fetch(wanted, tmp_path) == [tmp_path / "a/train", tmp_path / "a/test"]
    assert (tmp_path / "a/train").read_bytes() == BODY
    assert (tmp_path / "a/test").read_bytes() == b"-1 1:1\n"
    assert held(tmp_path) == {"a/train", "a/test"}
    assert server.asked == ["archive"]


def test_one_wrong_member_keeps_the_other_from_being_kept(server, tmp_path):
    server.pages["archive"] = ARCHIVES["zip"]
    url = server.url("archive")
    wrong = RemoteFile(url, "test", sha(b"other"), "set/test")
    assert "has sha256" in refused([RemoteFile(url, "train", None, "set/train"), wrong], tmp_path)


def encrypted() -> bytes:
    """A zip whose member claims to be encrypted: bit 0 of its flags, in both of its headers."""
    content = bytearray(zipped(**{"set/train": BODY}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def linked() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("set/train")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


BAD_ARCHIVES = {
    "a zip that leads out": (
        zipped(**{"set/train": BODY, "../evil": b"x"}),
        "holds '../evil', a path outside the archive.",
    ),
    "a zip that leads out by backslash": (
        zipped(**{"set/train": BODY, "..\\evil": b"x"}),
        "a path outside the archive.",
    ),
    "a tar with an absolute path": (
        tarred("w:gz", **{"set/train": BODY, "/tmp/evil": b"x"}),
        "holds '/tmp/evil', a path outside the archive.",
    ),
    "a tar whose member is a link": (
        tarred("w:gz", link("set/train", "/etc/passwd")),
        "'set/train' in it is no plain file",
    ),
    "a zip whose member is a link": (linked(), "'set/train' in it is no plain file"),
    "a member that is not there": (zipped(a=BODY), "no file 'set/train'. It holds: a."),
    "a truncated zip": (ARCHIVES["zip"][:-30], "is no zip or tar archive that can be read"),
    "a truncated tar": (
        tarred("w:gz", **{"set/train": os.urandom(99_999)})[:-50_000],
        "the archive: cannot be read: damaged or cut off",
    ),
    "an encrypted zip": (encrypted(), "is no zip or tar archive that can be read"),
    "no archive": (BODY, "is no zip or tar archive that can be read"),
}  # fmt: skip


@pytest.mark.parametrize("archive, message", BAD_ARCHIVES.values(), ids=BAD_ARCHIVES)
def test_a_bad_archive_is_refused_and_nothing_of_it_kept(archive, message, server, tmp_path):
    server.pages["archive"] = archive
    folder = tmp_path / "data"
    folder.mkdir()
    wanted = RemoteFile(server.url("archive"), "train", None, "set/train")
    assert message in refused([wanted], folder)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


BOMB = bytes(3_000_000)


@pytest.mark.parametrize(
    "archive",
    [
        zipped(**{"set/train": BOMB}),
        tarred("w:gz", **{"set/train": BOMB}),
        zipped(**{"set/train": b"small", "other": BOMB}),
        tarred("w:gz", **{"other": BOMB, "set/train": b"small"}),
    ],
    ids=["zip", "tar", "zip, beside", "tar, before"],
)
def test_an_archive_that_unpacks_to_too_much_is_refused(archive, server, tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "BOMB_BYTES", 1_000_000)
    monkeypatch.setattr(compression, "BOMB_FOLD", 10)
    assert len(archive) < 10_000
    server.pages["archive"] = archive
    wanted = RemoteFile(server.url("archive"), "train", None, "set/train")
    assert "unpacks to more than 1,000,000 bytes" in refused([wanted], tmp_path)


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    """Both headers say 10 bytes, while 3 MB are packed."""
    honest = zipped(a=BOMB)
    lie = honest.replace(len(BOMB).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != honest
    (tmp_path / "a.zip").write_bytes(lie)
    with pytest.raises(UserError, match="can be read"):
        unpack(tmp_path / "a.zip", {"a": tmp_path / "out"})
    assert not (tmp_path / "out").exists() or (tmp_path / "out").stat().st_size <= 10


def sparse(archive: bytes) -> bytes:
    """The same, its first member said to be one of GNU's sparse files."""
    return _resealed(archive[:156] + b"S" + archive[157:])


def negative(archive: bytes) -> bytes:
    """The same, its first member with a size of -1."""
    return _resealed(archive[:124] + b"\xff" * 12 + archive[136:])


def _resealed(archive: bytes) -> bytes:
    head = archive[:148] + b" " * 8 + archive[156:512]
    return head[:148] + b"%06o\0 " % sum(head) + archive[156:]


@pytest.mark.parametrize(
    "content, message",
    [
        (negative(tarred("w", a=BODY)), "no zip or tar archive|negative size"),
        (sparse(tarred("w", a=BODY)), "'a' in it is no plain file"),
        (tarred("w", a=BODY)[: 512 + len(BODY) + 511 & ~511] + tarred("w", a=b"x"), "'a' twice"),
    ],
    ids=["negative", "sparse", "twice"],
)
def test_odd_members_of_a_tar_are_refused(content, message, tmp_path):
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(UserError, match=message):
        unpack(tmp_path / "a.tar", {"a": tmp_path / "out"})


def test_a_zip_with_two_members_of_one_name_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, pytest.warns(UserWarning):
        for content in (b"1", b"2"):
            archive.writestr("a", content)
    with pytest.raises(UserError, match="holds 'a' twice."):
        unpack(tmp_path / "a.zip", {"a": tmp_path / "out"})


def test_a_folder_entry_and_a_leading_dot_do_no_harm(tmp_path):
    here = tarfile.TarInfo("./")
    here.type = tarfile.DIRTYPE
    (tmp_path / "a.tar").write_bytes(tarred("w", here, **{"./set/train": BODY}))
    unpack(tmp_path / "a.tar", {"set/train": tmp_path / "out"})
    assert (tmp_path / "out").read_bytes() == BODY


def test_a_terminal_shows_a_bar_that_ends_full(server, tmp_path, monkeypatch):
    from rich.progress import Progress

    seen, advance = [], Progress.advance

    def watched(bar, line, size):
        advance(bar, line, size)
        seen.append(bar.tasks[0])

    monkeypatch.setattr(Progress, "advance", watched)
    monkeypatch.setenv("FORCE_COLOR", "1")
    server.pages["a"] = BODY
    fetch([RemoteFile(server.url("a"), "a")], tmp_path)
    assert (seen[-1].completed, seen[-1].total) == (len(BODY), len(BODY))
