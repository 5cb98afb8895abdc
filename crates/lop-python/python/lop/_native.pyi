from typing import Callable, Mapping, Optional, TypedDict, Union

from ._types import Ended

Sizes = tuple[int, int, int]

class Options(TypedDict):
    language: Optional[str]
    file_name: Optional[str]
    max_time: Optional[float]
    max_tests: Optional[int]
    jobs: int
    flaky: Union[None, str, float]
    seed: int
    choices: bool

class Report(TypedDict):
    best: bytes
    before: Sizes
    after: Sizes
    tests: int
    ended: Ended
    elapsed: float
    language: str
    failure: Optional[BaseException]

class FilesReport(TypedDict):
    best: dict[str, bytes]
    before: Sizes
    after: Sizes
    tests: int
    ended: Ended
    elapsed: float
    language: str
    failure: Optional[BaseException]

class Halves(TypedDict):
    passing: bytes
    failing: bytes
    tests: int
    ended: Ended
    failure: Optional[BaseException]

OnEvent = Callable[[str, Sizes, int, Optional[bytes], Optional[str]], None]
OnFilesEvent = Callable[[str, Sizes, int, Optional[dict[str, bytes]], Optional[str]], None]

def reduce(
    data: bytes, test: Callable[[bytes], int], on_event: Optional[OnEvent], options: Options
) -> Report: ...
def reduce_files(
    files: Mapping[str, bytes],
    test: Callable[[dict[str, bytes]], int],
    on_event: Optional[OnFilesEvent],
    options: Options,
) -> FilesReport: ...
def isolate(passing: bytes, failing: bytes, test: Callable[[bytes], int], options: Options) -> Halves: ...
