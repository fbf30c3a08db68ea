"""Functions that only other kernels call: typed and lowered like any other, but never run alone.

Numba compiles a function that is called by a compiled one as if Python might call it, too: with two
wrappers, all optimisations and machine code, and then optimises and translates its code once more
inside every caller, up to the root. A fragment stops at the intermediate code, which is also what
the cache keeps of it, and holds its own function alone: short callees are lent to it while it is
optimised, long ones are only declared. A root, which Python calls, links all it reaches, each
function once, optimises the whole and becomes machine code.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from llvmlite import binding
from llvmlite.binding import Linkage, ffi
from numba.core import compiler, errors, typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.targetconfig import ConfigStack

from evoboard.core.compiling import compiling

# A callee with more instructions than this is not put into its callers before the root.
SHORT = 120


class Part:
    """The code of one fragment, by the name of its function."""

    def __init__(self, name: str, code: bytes, short: bool) -> None:
        self.name, self.code, self.short = name, code, short

    def lend_to(self, module: Any, linkage: str) -> None:
        """Link the function into `module`."""
        own = binding.parse_bitcode(self.code)
        own.get_function(self.name).linkage = linkage
        module.link_in(own)


class _KernelLibrary(JITCodeLibrary):
    """What roots and fragments share: code that knows the parts it needs."""

    def _parts(self) -> dict[str, Part]:
        """Return the fragments this code may reach, by name."""
        found: dict[str, Part] = {}
        for library in self._linking_libraries:
            if isinstance(library, FragmentLibrary):
                found.update(library.parts)
        return found

    def _optimize_functions(self, module: Any) -> None:
        """Leave it to the optimisation of the module, which begins with the same."""
        module.data_layout = self._codegen._data_layout

    def _link(self) -> None:
        """Link what Numba itself compiled for this code, small helpers without calls of kernels."""
        for library in dict.fromkeys(self._linking_libraries):
            if not isinstance(library, FragmentLibrary):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)

    def _missing(self, parts: dict[str, Part]) -> Iterator[Part]:
        """Yield the parts that are declared here, and those that they declare in turn."""
        seen: set[str] = set()
        while True:
            declared = [f.name for f in self._final_module.functions if f.is_declaration]
            new = [name for name in declared if name in parts and name not in seen]
            if not new:
                return
            seen.update(new)
            for name in new:
                yield parts[name]

    def _optimize(self) -> None:
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class FragmentLibrary(_KernelLibrary):
    """The code of a fragment and, beside it, that of all it calls."""

    # A loaded function gets its environment (constants of Python objects) through this. Kernels
    # have no such objects, and there is no loaded function.
    codegen = SimpleNamespace(set_env=lambda name, environment: None)
    parts: dict[str, Part]
    symbol: str

    def finalize(self) -> None:
        """Optimise the function with its short callees in sight.

        Without this, roots are up to a third slower: what is inlined late is not looked at again.
        """
        parts = self._parts()
        (self.symbol,) = (f.name for f in self._final_module.functions if not f.is_declaration)
        self._link()
        for part in self._missing({name: part for name, part in parts.items() if part.short}):
            part.lend_to(self._final_module, "available_externally")
        self._optimize()
        self._finalize_dynamic_globals()
        own = str(self._final_module.get_function(self.symbol))
        length = own.count("\n  ")  # lines of instructions; to ask for each takes longer
        code = self._final_module.as_bitcode()
        self.parts = {**parts, self.symbol: Part(self.symbol, code, length <= SHORT)}
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def serialize_using_object_code(self) -> Any:
        self._ensure_finalized()
        return self.name, self.symbol, list(self.parts.values())

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> FragmentLibrary:
        name, symbol, parts = state
        library = cls(codegen, name)
        library.symbol, library.parts = symbol, {part.name: part for part in parts}
        library._finalized = True
        return library


class RootLibrary(_KernelLibrary):
    """The code of a root with all that it reaches."""

    def finalize(self) -> None:
        """Link everything, optimise it as a whole and make machine code."""
        parts = self._parts()
        self._link()
        names = []
        for part in self._missing(parts):
            part.lend_to(self._final_module, "linkonce_odr")
            names.append(part.name)
        for name in names:  # nothing else calls these
            self._final_module.get_function(name).linkage = "internal"
        self._optimize()
        self._finalize_final_module()

    def serialize_using_object_code(self) -> Any:
        """Return the machine code, with the names that it defines. It is never linked again."""
        functions = (f for f in self._final_module.functions if not f.is_declaration)
        kept = (f.name for f in functions if f.linkage is Linkage.external)
        names = "".join(f'define void @"{name}"() {{ ret void }}\n' for name in kept)
        stub = binding.parse_assembly(names)
        return self.name, "object", (self._get_compiled_object(), stub.as_bitcode())


_PASSES = (
    (untyped_passes.TranslateByteCode, "analyzing bytecode"),
    (untyped_passes.FixupArgs, "fix up args"),
    (untyped_passes.IRProcessing, "processing IR"),
    (untyped_passes.RewriteSemanticConstants, "rewrite semantic constants"),
    (untyped_passes.DeadBranchPrune, "dead branch pruning"),
    (untyped_passes.GenericRewrites, "nopython rewrites"),
    (untyped_passes.ReconstructSSA, "ssa"),
    (untyped_passes.DeadBranchPrune, "dead branch pruning"),
    (typed_passes.NopythonTypeInference, "nopython frontend"),
    (typed_passes.PreLowerStripPhis, "remove phis nodes"),
    (typed_passes.NoPythonSupportedFeatureValidation, "ensure features are in a valid form"),
    (typed_passes.IRLegalization, "ensure IR is legal prior to lowering"),
    (typed_passes.NativeLowering, "native lowering"),
    (typed_passes.NoPythonBackend, "nopython mode backend"),
)


class _KernelCompiler(compiler.CompilerBase):
    """Leaves out what kernels do not need: they have no closures, array expressions or raises."""

    def define_pipelines(self) -> list[Any]:
        manager = PassManager("kernel")
        for step, said in _PASSES:
            manager.add_pass(step, said)
        manager.finalize()
        return [manager]


class FragmentCompiler(_KernelCompiler):
    """Compiles into a `FragmentLibrary`."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = FragmentLibrary(codegen, function.__qualname__)
        return super().compile_extra(function)

    def _compile_bytecode(self) -> Any:
        # The same in every process, so that code of one can be linked with code of another.
        texts = repr(type_texts(self.state.args)).encode()
        self.state.func_id.unique_id = hashlib.sha256(texts).hexdigest()[:20]
        return super()._compile_bytecode()


class RootCompiler(_KernelCompiler):
    """Compiles into a `RootLibrary`."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = RootLibrary(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


@contextmanager
def _declarations_known(context: Any) -> Iterator[None]:
    """Have Numba go through all its declarations now, and through new ones alone until this ends.

    It does so before each function and at each name it does not find at once. At the first time it
    would look again at each of 250 declarations that it finds then, and import SciPy for the
    linear algebra that kernels do not use; other programs than ours may want that, too.
    """
    if not _refreshed:
        _refreshed.append(context)
        ours = compiling.own_process or "evoboard.cli.main" in sys.modules
        hide = ours and "scipy.linalg" not in sys.modules
        sys.modules.update({"scipy.linalg": None} if hide else {})  # type: ignore[dict-item]
        try:
            with _refreshing(context, lambda: None):
                context.load_additional_registries()
        finally:
            if hide:
                del sys.modules["scipy.linalg"]
    context.refresh()
    with _refreshing(context, lambda: _install_new(context)):
        yield


@contextmanager
def _refreshing(context: Any, install: Callable[[], Any]) -> Iterator[None]:
    """Have this done instead of what Numba does to find declarations."""
    typing = context.typing_context
    context.refresh = typing.refresh = install
    try:
        yield
    finally:
        del context.refresh, typing.refresh


def _install_new(context: Any) -> None:
    """Take up what has been declared since, in places where declarations were found before."""
    for one in (context, context.typing_context):
        for registry, loader in list(one._registries.items()):
            size = sum(len(getattr(registry, name)) for name in loader.registry_items)
            if _sizes.get((one, registry)) != size:
                one.install_registry(registry)
                _sizes[one, registry] = size


_refreshed: list[Any] = []
_sizes: dict[Any, int] = {}  # of places where declarations were found, by who has taken them up


def type_texts(sig: Any) -> list[Any]:
    """Return a signature's types as text; of a NamedTuple also what Numba leaves out.

    A kernel compiled for one order of equally typed fields must not be found for another, nor one
    that holds a class which has since moved to another module.
    """
    if isinstance(sig, tuple):
        return [type_texts(part) for part in sig]
    made_of = getattr(sig, "instance_class", None)
    if made_of is None:
        return [str(sig)]
    return [str(sig), made_of.__module__, sig.fields, type_texts(tuple(sig.types))]


def ignore_literals(fragment: Any) -> Any:
    """Have `fragment` compiled for the types of constants it is called with, not for their values.

    Numba makes a version for every constant, down through all that is called with it: an eighth of
    all compilation. The optimiser puts constants in where they help, once the code is in its root.
    """
    find = fragment.get_call_template

    def find_by_type(args: Any, kws: Any) -> Any:
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return find(tuple(types.unliteral(kind) for kind in args), plain)

    fragment.get_call_template = find_by_type
    return fragment


def compile_once(dispatcher: Any) -> None:
    """Have one process at a time compile what several need: the others then load it."""
    usual = dispatcher.compile

    def compile_here(sig: Any) -> Any:
        if isinstance(sig, tuple) and sig in dispatcher.overloads:
            return usual(sig)
        with dispatcher._cache.compiling(sig, dispatcher.targetctx.codegen()), global_compiler_lock:
            if not dispatcher._cache.is_root:
                try:
                    return usual(sig)
                finally:
                    compiling.advance()
            usually = gc.get_threshold()
            gc.set_threshold(50_000, 20, 50)  # the compiler makes millions of objects that live on
            compiling.begin(dispatcher.functions)
            try:
                if dispatcher._cache.has(sig, dispatcher.targetctx.codegen()):  # it is only loaded
                    return usual(sig)
                with _declarations_known(dispatcher.targetctx):
                    return usual(sig)
            finally:
                gc.set_threshold(*usually)
                compiling.end()

    dispatcher.compile = compile_here


# Options of Numba's decorator.
OPTIONS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": FragmentCompiler,
}
ROOT_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, "pipeline_class": RootCompiler}


def _remember_types() -> None:
    """Have Numba look up the type of `a[i]`, `i + j` and the like once for the types it gets.

    It goes through all it knows at every place where one occurs: a seventh of all compilation.
    """
    functions: Any = types.functions.BaseFunction
    find = functions.get_call_type

    def find_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = ConfigStack.top_or_none()
        key = context, args, tuple(kws.items()), flags and repr(flags._values)
        known = self.__dict__.setdefault("known_types", {})
        if key not in known:
            known[key] = find(self, context, args, kws)
        return known[key]

    functions.get_call_type = find_once


_remember_types()
# Two things that are never needed and cost time at every function: Numba measures for how
# long LLVM is locked, at each call once for every function that is being compiled, and puts escape
# characters into messages of exceptions that it catches itself.
ffi.lib._lock._cblist.clear()
_STYLES = ("code", "errmsg", "filename", "indicate", "highlight", "reset")
vars(errors.termcolor()).update(dict.fromkeys(_STYLES, str))
