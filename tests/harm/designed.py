"""Implementations that declare a design: rightly, falsely, and to get around work."""

import careful


class ContentChecked(careful.Careful):
    """Right: it edits a file that changed as it is now."""

    design = "content-checked"


class EditsAnOldCopy(careful.EditsAnOldCopy):
    """False: it edits what it remembers."""

    design = "content-checked"


class WritesUnread(careful.WritesUnread):
    """False: a Write replaces what changed."""

    design = "content-checked"


class NotStrict(careful.Careful):
    """False: it does not refuse a file that changed."""

    design = "strict"


class Ungated(careful.EditsUnread):
    """Right: it asks for no Read."""

    design = "ungated"


class UngatedWriter(careful.EditsUnread, careful.WritesUnread):
    """Right: no gate holds a Write either."""

    design = "ungated"


class UngatedCopy(careful.EditsAnOldCopy):
    """False: it asks for no Read, and edits what it remembers."""

    design = "ungated"


class RefusesEverything(careful.RefusesEverything):
    """Hopes that what is not claimed is enough."""

    design = "ungated"


class DoesNothing(careful.DoesNothing):
    """Hopes that what is not claimed is enough."""

    design = "ungated"


class Unknown(careful.Careful):
    """Declares what there is not."""

    design = "loose"
