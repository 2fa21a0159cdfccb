"""Lists that are read page by page, as far as they are looked at."""
from __future__ import annotations

from typing import AsyncIterator, Awaitable, Callable, Generic, Iterator, List, Optional, Tuple, TypeVar

T = TypeVar("T")
Cursor = Optional[str]


class Pages(Generic[T]):
    """Iterates over all rows; a page is asked for when the one before is used up.

    >>> rows = Pages(lambda cursor: ([1, 2], "c") if cursor is None else ([3], None))
    >>> list(rows), list(rows.by_page())
    ([1, 2, 3], [[1, 2], [3]])
    """

    def __init__(self, read: Callable[[Cursor], Tuple[List[T], Cursor]]) -> None:
        self._read = read

    def by_page(self) -> Iterator[List[T]]:
        """Pages instead of rows. A page may be short, or empty, before the last one."""
        cursor: Cursor = None
        while True:
            rows, cursor = self._read(cursor)
            yield rows
            if not cursor:
                return

    def __iter__(self) -> Iterator[T]:
        for rows in self.by_page():
            yield from rows


class AsyncPages(Generic[T]):
    """The same for ``async for``."""

    def __init__(self, read: Callable[[Cursor], Awaitable[Tuple[List[T], Cursor]]]) -> None:
        self._read = read

    async def by_page(self) -> AsyncIterator[List[T]]:
        """Pages instead of rows. A page may be short, or empty, before the last one."""
        cursor: Cursor = None
        while True:
            rows, cursor = await self._read(cursor)
            yield rows
            if not cursor:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for rows in self.by_page():
            for row in rows:
                yield row
