"""An audit in memory, for tests of what stands around it."""

from dataclasses import dataclass, field

from tools.audit import AuditEntry


@dataclass(kw_only=True)
class MemoryAudit:
    """`broken_by`: raised by `record`, as where the database does not answer."""

    entries: list[AuditEntry] = field(default_factory=list)
    broken_by: Exception | None = None

    async def record(self, entry: AuditEntry) -> None:
        if self.broken_by is not None:
            raise self.broken_by
        self.entries.append(entry)

    @property
    def told(self) -> list[tuple[str, str, str]]:
        """Tool, outcome and reason of each."""
        return [(entry.tool, entry.outcome, entry.reason) for entry in self.entries]
