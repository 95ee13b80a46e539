"""Makes a wheel for each of a release's archives, with the programs in it and no Python.

    python3 release/pypi/wheel.py DIST OUT

DIST holds nod_VERSION_OS_ARCH.tar.gz, of Windows .zip, and checksums.txt. Two runs make the same bytes.
"""
import base64
import hashlib
import pathlib
import re
import sys
import tarfile
import zipfile

NAME = "nod-gate"
PLATFORMS = {  # the programs are static, so that one wheel serves glibc and musl
    "linux_amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux_arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin_amd64": "macosx_12_0_x86_64",
    "darwin_arm64": "macosx_12_0_arm64",
    "windows_amd64": "win_amd64",
    "windows_arm64": "win_arm64",
}
# uvx starts the program that is called as the package is; on Windows: uvx --from nod-gate nod.
ALIAS = b'#!/bin/sh\nexec "${0%/*}/nod" "$@"\n'


def normal(version):
    """A version as PyPI writes it: 0.2.0-dev is 0.2.0.dev0, 0.2.0-rc.1 is 0.2.0rc1."""
    number, _, rest = version.partition("-")
    if not rest:
        return number
    word, digits = re.fullmatch(r"(dev|rc|alpha|beta)?[^0-9]*([0-9]*).*", rest).groups()
    short = {"alpha": "a", "beta": "b", "rc": "rc"}.get(word, ".dev")
    return f"{number}{short}{digits or 0}"


def wheel(archive, version, platform, out):
    base = f"{NAME.replace('-', '_')}-{version}"
    tags = PLATFORMS[platform]
    exe = ".exe" if platform.startswith("windows") else ""
    programs = [f"{name}{exe}" for name in ("nod", "nod-hook", "nod-serve")]
    names = (*programs, "LICENSE")
    if exe:
        with zipfile.ZipFile(archive) as packed:
            files = {n: packed.read(n) for n in names}
    else:
        with tarfile.open(archive) as tar:
            files = {n: tar.extractfile(n).read() for n in names}
    said = [
        "Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version}",
        "Summary: Decides whether a coding agent's tool call may run without asking you",
        "Home-page: https://github.com/nodgate/nod", "License: Apache-2.0",
        "Description-Content-Type: text/markdown", "",
        "See <https://github.com/nodgate/nod>. Then: `nod install`, `nod doctor`.", ""]
    tag = "".join(f"Tag: py3-none-{t}\n" for t in tags.split("."))
    parts = [
        *((f"{base}.data/scripts/{name}", files[name], 0o755) for name in programs),
        *([] if exe else [(f"{base}.data/scripts/{NAME}", ALIAS, 0o755)]),
        (f"{base}.dist-info/METADATA", "\n".join(said).encode(), 0o644),
        (f"{base}.dist-info/WHEEL",
         f"Wheel-Version: 1.0\nGenerator: nod\nRoot-Is-Purelib: false\n{tag}".encode(), 0o644),
        (f"{base}.dist-info/LICENSE", files["LICENSE"], 0o644)]
    record = ""
    for name, data, _ in parts:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    record += f"{base}.dist-info/RECORD,,\n"
    name = out / f"{base}-py3-none-{tags}.whl"
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as made:
        for path, data, mode in [*parts, (f"{base}.dist-info/RECORD", record.encode(), 0o644)]:
            info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, data)
    return name


def main(dist, out):
    dist, out = pathlib.Path(dist), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    sums, made = (dist / "checksums.txt").read_text(), 0
    for archive in sorted(dist.glob("nod_*")):
        found = re.fullmatch(r"nod_(.+)_([a-z]+_[a-z0-9]+)\.(?:tar\.gz|zip)", archive.name)
        if not found or found[2] not in PLATFORMS:
            continue  # PyPI takes no wheels for it
        if hashlib.sha256(archive.read_bytes()).hexdigest() not in sums:
            sys.exit(f"{archive}: checksums.txt has another sum; download it again")
        print(wheel(archive, normal(found[1]), found[2], out))
        made += 1
    if not made:
        sys.exit(f"{dist} holds no nod_VERSION_OS_ARCH.tar.gz")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
