"""T7: may a holder rest?"""

from agboss.domain.ids import PauseKey
from agboss.domain.pauses import PauseStatus
from agboss.domain.rests import RestAnswer, RestRequest
from agboss.stores.rows import HolderRow, PauseRow, equals
from agboss.stores.transactions.rules import evaluate_rest, fenced, holder_of, set_moving
from agboss.stores.transactions.unit import Unit


def rest(unit: Unit, request: RestRequest) -> RestAnswer:
    """T7: refused while anything of the holder can move; the reasons say what it has to look at."""
    ref = request.ref
    tree = unit.tree(ref.root)
    found = unit.rows.get(HolderRow, ref.holder)
    if tree.status != "live" or (found is not None and found.state == "ended"):
        return RestAnswer(accepted=False, motion=request.motion if found is None else found.motion, fenced=True)
    holder = holder_of(unit, tree, ref)
    before = (found is not None, holder.state, holder.wants_slot, tree.rest_no)
    for child in request.confirmed:
        holder_of(unit, tree, child)
    for child in request.closed:
        row = holder_of(unit, tree, child)
        row.reaped = True
        unit.rows.update(row)
    holder.wants_slot = request.wanting > 0
    children = unit.rows.select(HolderRow, equals(root=tree.root, parent=ref.holder))
    resolved = unit.rows.select(
        PauseRow, equals(root=tree.root, holder=ref.holder, status=PauseStatus.RESOLVED.value), order=("seq",)
    )
    keys = tuple(PauseKey(pause.pause_key) for pause in resolved)
    unreaped = any(child.state == "ended" and not child.reaped for child in children)
    covered = fenced(unit, tree, ref.path)
    free = 0
    if request.wanting:
        free = min(request.wanting, max(0, request.limit - sum(child.state == "moving" for child in children)))
    if keys or unreaped or covered or free or holder.motion != request.motion:
        unit.rows.update(holder)
        return RestAnswer(accepted=False, motion=holder.motion, keys=keys, unreaped=unreaped, fenced=covered, free=free)
    holder.state = "resting"
    unit.rows.update(holder)
    parent = unit.rows.get(HolderRow, ref.parent) if ref.parent is not None else None
    signal_parent = parent is not None and parent.wants_slot and parent.state != "ended"
    if signal_parent and parent is not None and parent.state == "resting":
        set_moving(unit, tree, parent)
    evaluate_rest(unit, tree)
    if before != (True, holder.state, holder.wants_slot, tree.rest_no):
        unit.touch(tree)
    return RestAnswer(accepted=True, motion=holder.motion, signal_parent=signal_parent)
