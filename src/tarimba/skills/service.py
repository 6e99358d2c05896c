"""The door of the slice: one function for each use case, and what others need of it."""

from __future__ import annotations

from tarimba.skills.access import Asked, Where, may_publish
from tarimba.skills.checking import Checked, check
from tarimba.skills.drafting import Offer
from tarimba.skills.drafting import digest as mark_of
from tarimba.skills.explaining import Difference, Effective, compare, explain
from tarimba.skills.indexing import look as look_at_index
from tarimba.skills.indexing import of_seat
from tarimba.skills.looking import (
    Document,
    Within,
    list_files_within,
    list_skills_within,
    list_versions,
    read_archive,
    read_content,
    read_document,
)
from tarimba.skills.looking import read_file as read_shared_file
from tarimba.skills.model import Problem
from tarimba.skills.offering import Offered, OfferedFile, list_offered, read_file, read_offered
from tarimba.skills.publishing import publish, roll_back
from tarimba.skills.records import File, Place, Published, SharedFile
from tarimba.skills.removing import erase, remove
from tarimba.skills.report import retold
from tarimba.skills.sharing import Given, share, unshare

__all__ = [
    "Asked", "Checked", "Difference", "Document", "Effective", "File", "Given", "Offer", "Offered", "OfferedFile",
    "Place", "Problem", "Published", "SharedFile", "Where", "Within", "check", "compare", "erase", "explain",
    "list_files_within", "list_offered", "list_skills_within", "list_versions", "look_at_index", "mark_of",
    "may_publish", "of_seat", "publish", "read_archive", "read_content", "read_document", "read_file",
    "read_offered", "read_shared_file", "remove", "retold", "roll_back", "share", "unshare",
]  # fmt: skip
