"""Every page of the Console."""

from __future__ import annotations

from typing import Final

from tarimba.console import (
    account,
    agents,
    cascade,
    choosing,
    entering,
    files,
    graph,
    graph_curation,
    inbox,
    looks,
    memory,
    my_skills,
    notes,
    oidc,
    overview,
    people,
    personas,
    preview,
    receipts,
    secrets,
    settings,
    settings_data,
    settings_servers,
    settings_words,
    shared_files,
    skill_upload,
    skills,
    webhooks,
    workspaces,
)
from tarimba.console.page import Page

PAGES: Final[tuple[Page, ...]] = tuple(
    page
    for module in (
        entering,
        account,
        looks,
        choosing,
        inbox,
        notes,
        overview,
        preview,
        skills,
        skill_upload,
        cascade,
        shared_files,
        workspaces,
        personas,
        secrets,
        memory,
        graph,
        graph_curation,
        my_skills,
        files,
        agents,
        people,
        receipts,
        webhooks,
        settings,
        settings_data,
        settings_servers,
        settings_words,
        oidc,
    )
    for page in module.PAGES
)
