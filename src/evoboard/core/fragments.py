"""Functions that only other kernels call: typed and lowered like any other, but never run alone.

Numba compiles a function that is called by a compiled one as if Python might call it, too: with two
wrappers, all optimisations and machine code, and then optimises and translates its code once more
inside every caller, up to the root. A fragment stops at the intermediate code, which is also what
the cache keeps of it. Only roots, which Python calls, become machine code.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from llvmlite import binding
from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary


class FragmentLibrary(JITCodeLibrary):
    """Code of a fragment and of all it calls, to be linked into its callers."""

    # A loaded function gets its environment (constants of Python objects) through this. Kernels
    # have no such objects, and there is no loaded function.
    codegen = SimpleNamespace(set_env=lambda name, environment: None)

    def _optimize_final_module(self) -> None:
        """Optimise once; Numba does so twice for the sake of reference counts, which kernels lack.

        Without this, roots are up to a third slower: what is inlined late is not looked at again.
        """
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> FragmentLibrary:
        name, _, data = state
        library = cls(codegen, name)
        library._final_module = binding.parse_bitcode(data)
        library._finalize_final_module()
        return library


class FragmentCompiler(compiler.Compiler):
    """Compiles into a `FragmentLibrary`."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = FragmentLibrary(codegen, function.__qualname__)
        return super().compile_extra(function)


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


# Options of Numba's decorator for a fragment.
OPTIONS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": FragmentCompiler,
}
