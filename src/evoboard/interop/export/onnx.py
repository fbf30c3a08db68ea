"""onnx: the network for ONNX runtimes: float32 (batch, inputs) in, float32 (batch, outputs) out.

A graph becomes a chain by depth: of all values so far, those that a layer needs are gathered,
weighed by one matrix and activated, and the layer's values are put behind the others. What the
inputs and outputs are stands in the model's properties.
"""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.interop.export.onnx_nodes import Chain, activated, aggregated
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.layers import layers_of, node_depths, node_links
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players.network import PlayerNetwork, one_line

SUMMARY = "a model for ONNX runtimes, in float32 (needs the package onnx)"
ENDINGS = (".onnx",)
OPSET, IR = 18, 8  # of ONNX 1.13, so that runtimes of some age read it, too
INPUTS, OUTPUTS = "inputs", "outputs"


def export(subject: PlayerNetwork) -> bytes:
    """Return the model's file; OptionError if the package onnx is missing."""
    if importlib.util.find_spec("onnx") is None:
        raise OptionError(
            "the format onnx needs the package onnx; install it with: pip install onnx."
        )
    from onnx import TensorProto, helper

    chain, network = Chain(), subject.network
    if isinstance(network, GraphNetwork):
        _add_graph(chain, network)
    else:
        _add_layers(chain, network)
    ends = {INPUTS: len(subject.inputs), OUTPUTS: len(subject.outputs)}
    told = {
        name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", count])
        for name, count in ends.items()
    }
    graph = helper.make_graph(
        chain.nodes, "network", [told[INPUTS]], [told[OUTPUTS]], chain.constants
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
        producer_name="evoboard",
        doc_string=f"{subject.title}. {subject.meaning}",
    )
    helper.set_model_props(model, _properties(subject))
    return bytes(model.SerializeToString(deterministic=True))


def _properties(subject: PlayerNetwork) -> dict[str, str]:
    """Return what a user of the model must know, as ONNX keeps it: texts by name."""
    return {
        "game": one_line(subject.game.name),
        "encoder": one_line(subject.setup.encoder),
        "seen_by": subject.encoder.seen_by,
        "inputs": json.dumps(subject.inputs),
        "outputs": json.dumps(subject.outputs),
    }


def _add_layers(chain: Chain, network: MLPNetwork) -> None:
    """Add the layers of an mlp, a matrix each."""
    values, layers = INPUTS, layers_of(network)
    for number, layer in enumerate(layers, 1):
        total = chain.add("MatMul", values, chain.constant(layer.weights))
        total = chain.add("Add", total, chain.constant(layer.bias))
        if layer.direct is not None:
            total = chain.add(
                "Add", total, chain.add("MatMul", INPUTS, chain.constant(layer.direct))
            )
        if number == len(layers) and network.design.difference:
            pieces = chain.add("ReduceSum", INPUTS, chain.constant([1], np.int64))
            share = chain.constant([network.design.difference])
            total = chain.add("Add", total, chain.add("Mul", pieces, share))
        shape = np.array([layer.bound], np.float32), np.array([layer.steepness], np.float32)
        values = activated(chain, layer.activation, total, *shape)
    chain.rename(values, OUTPUTS)


def _add_graph(chain: Chain, network: GraphNetwork) -> None:
    """Add the nodes of a graph, those of one depth together."""
    depths = np.array(node_depths(network))
    values = INPUTS
    place = {slot: slot for slot in range(network.inputs)}  # of every slot among the values
    for depth in range(int(depths.max()) + 1):
        order, made = _add_depth(chain, network, np.flatnonzero(depths == depth), values, place)
        for node in order:
            place[network.inputs + node] = len(place)
        values = chain.add("Concat", values, *made, axis=1)
    ends = [place[network.inputs + node] for node in network.outputs]
    chain.rename(chain.columns(values, ends), OUTPUTS)


def _add_depth(
    chain: Chain, network: GraphNetwork, nodes: Array, values: str, place: dict[int, int]
) -> tuple[list[int], list[str]]:
    """Add the nodes of one depth; return them in the order of their values, and these."""
    assert network.response is not None
    assert network.bound is not None
    assert network.steepness is not None
    order: list[int] = []
    made: list[str] = []
    kinds = sorted({(network.activation[k], network.aggregation[k]) for k in nodes})
    for activation, aggregation in kinds:
        alike = [
            int(k)
            for k in nodes
            if (network.activation[k], network.aggregation[k]) == (activation, aggregation)
        ]
        links = [[(place[slot], w) for slot, w in node_links(network, k)] for k in alike]
        total = aggregated(chain, aggregation, values, links)
        if (network.response[alike] != 1).any():
            total = chain.add("Mul", total, chain.constant(network.response[alike]))
        total = chain.add("Add", total, chain.constant(network.bias[alike]))
        shape: tuple[Any, Any] = (network.bound[alike], network.steepness[alike])
        made.append(activated(chain, activation, total, *shape))
        order += alike
    return order, made
