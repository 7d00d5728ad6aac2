"""Types of numba's for records of arrays that are read-only: numba's own may always be stored to."""

from numba import types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.errors import TypingError
from numba.core.imputils import lower_builtin, lower_cast, lower_setattr_generic
from numba.core.typeconv import Conversion


class ReadOnlyNested(types.NestedArray):
    """An array in such a record."""

    def __init__(self, dtype, shape):
        super().__init__(dtype, shape)
        self.mutable = False
        self.name = f"readonly {self.name}"


class ReadOnlyRecord(types.Record):
    """Like another record, and its records and arrays."""

    mutable = False

    def __init__(self, like):
        fields = [(name, {"type": read_only(f.type), "offset": f.offset,
                          "alignment": f.alignment, "title": f.title})
                  for name, f in like.fields.items()]
        super().__init__(fields, like.size, like.aligned)
        self.name = f"readonly {self.name}"
        self.like = like

    def can_convert_to(self, typingctx, other):  # noqa: ARG002 -- numba's protocol
        """A copy of it is stored in a record of the same fields."""
        return Conversion.safe if other == self.like else None


@lower_cast(ReadOnlyRecord, types.Record)
def _copied(context, builder, its, to, value):  # noqa: ARG001
    return value


register_default(ReadOnlyNested)(models.NestedArrayModel)
register_default(ReadOnlyRecord)(models.RecordModel)


def read_only(its):
    """The type of a field, or of an array's elements, in which nothing can be stored."""
    if isinstance(its, types.Record):
        return ReadOnlyRecord(its)
    if isinstance(its, types.NestedArray):
        return ReadOnlyNested(read_only(its.dtype), its.shape)
    return its


def read_only_array(its):
    """The type of an array whose elements are so."""
    return types.Array(read_only(its.dtype), its.ndim, its.layout, readonly=True,
                       aligned=its.aligned)


def _refuse(field):
    raise TypingError(f"setitem(readonly array of records, {field})")


@lower_setattr_generic(ReadOnlyRecord)
def _set_field(context, builder, signature, arguments, field):  # noqa: ARG001 -- numba's protocol
    _refuse(field)


@lower_builtin("static_setitem", ReadOnlyRecord, types.StringLiteral, types.Any)
@lower_builtin("static_setitem", ReadOnlyRecord, types.IntegerLiteral, types.Any)
def _set_item(context, builder, signature, arguments):  # noqa: ARG001
    _refuse(arguments[1])
