"""Types of numba's for arrays that are read-only, and for their records: numba refuses to store to
its own read-only arrays, but not to their records, nor by their `flat`, nor in what nditer yields."""

import operator

from numba import types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.errors import TypingError
from numba.core.imputils import lower_builtin, lower_cast, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
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
    if isinstance(its, (ReadOnlyRecord, ReadOnlyNested)):
        return its
    if isinstance(its, types.Record):
        return ReadOnlyRecord(its)
    if isinstance(its, types.NestedArray):
        return ReadOnlyNested(read_only(its.dtype), its.shape)
    return its


class ReadOnlyArray(types.Array):
    """Like another array; its views are of this type, too."""

    def __init__(self, like):
        super().__init__(read_only(like.dtype), like.ndim, like.layout, readonly=True,
                         aligned=like.aligned)

    def copy(self, *changed, **named):
        made = super().copy(*changed, **named)
        return made if made.mutable else ReadOnlyArray(made)

    def unify(self, typingctx, other):
        made = super().unify(typingctx, other)
        return made if made is None else ReadOnlyArray(made)


register_default(ReadOnlyArray)(models.ArrayModel)


@lower_cast(ReadOnlyArray, types.Array)
def _same(context, builder, its, to, value):  # noqa: ARG001
    return value


class ReadOnlyFlat(types.SimpleIteratorType, types.Sequence):
    """The `flat` of such an array: like numba's, but no mutable sequence."""

    def __init__(self, array_type):
        self.array_type = array_type
        self.dtype = array_type.dtype
        super().__init__(f"array.flat({array_type})", array_type.dtype)

    @property
    def key(self):
        return self.array_type


register_default(ReadOnlyFlat)(models.handle_numpy_flat_type)


@infer_getattr
class _FlatOfArray(AttributeTemplate):
    key = ReadOnlyArray

    def resolve_flat(self, its):
        return ReadOnlyFlat(its)


def _lower_like_flat(what, *types_of_others):
    @lower_builtin(what, ReadOnlyFlat, *types_of_others)
    def like_flat(context, builder, signature, arguments):
        flat, *others = signature.args
        plain = signature.return_type(types.NumpyFlatType(flat.array_type), *others)
        return context.get_function(what, plain)(builder, arguments)


_lower_like_flat("iternext")
_lower_like_flat(len)
_lower_like_flat(operator.getitem, types.Integer)


def _views(its):
    return [types.Array(dtype, 0, "C", readonly=isinstance(a, ReadOnlyArray))
            for a, dtype in zip(its.arrays, its.dtypes)]


types.NumpyNdIterType.views = property(_views)  # the same for all other arrays


def _refuse(field):
    raise TypingError(f"setitem(readonly array of records, {field})")


@lower_setattr_generic(ReadOnlyRecord)
def _set_field(context, builder, signature, arguments, field):  # noqa: ARG001 -- numba's protocol
    _refuse(field)


@lower_builtin("static_setitem", ReadOnlyRecord, types.StringLiteral, types.Any)
@lower_builtin("static_setitem", ReadOnlyRecord, types.IntegerLiteral, types.Any)
def _set_item(context, builder, signature, arguments):  # noqa: ARG001
    _refuse(arguments[1])
