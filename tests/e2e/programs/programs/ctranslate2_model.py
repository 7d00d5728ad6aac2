"""CTranslate2: a small Transformer with random weights translates random sentences."""

import os
import sys
import tempfile

import ctranslate2
import numpy as np
from ctranslate2.specs import transformer_spec

WORDS = [f"w{i}" for i in range(2000)]
rng = np.random.default_rng(36)


def fill(spec):
    """Gives every weight that the specification names random values of its layer's shape."""
    size, inner = 256, 1024

    def linear(layer, outputs, inputs):
        layer.weight = rng.normal(0, 0.06, (outputs, inputs)).astype(np.float32)
        layer.bias = np.zeros(outputs, np.float32)

    def norm(layer):
        layer.gamma, layer.beta = np.ones(size, np.float32), np.zeros(size, np.float32)

    def attention(layer, fused):
        norm(layer.layer_norm)
        for i, one in enumerate(layer.linear):
            linear(one, size * (fused if i == 0 else 2 if fused == 1 and i == 1 else 1), size)

    for layer in spec.encoder.layer:
        attention(layer.self_attention, 3)
    for layer in spec.decoder.layer:
        attention(layer.self_attention, 3)
        attention(layer.attention, 1)
    for layer in [*spec.encoder.layer, *spec.decoder.layer]:
        norm(layer.ffn.layer_norm)
        linear(layer.ffn.linear_0, inner, size)
        linear(layer.ffn.linear_1, size, inner)
    for side in (spec.encoder, spec.decoder):
        norm(side.layer_norm)
        embeddings = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
        embeddings.weight = rng.normal(0, 1, (len(WORDS) + 3, size)).astype(np.float32)
    linear(spec.decoder.projection, len(WORDS) + 3, size)


spec = transformer_spec.TransformerSpec.from_config(3, 4)
fill(spec)
tokens = ["<unk>", "<s>", "</s>", *WORDS]
spec.register_source_vocabulary(tokens)
spec.register_target_vocabulary(tokens)
with tempfile.TemporaryDirectory() as folder:
    model = os.path.join(folder, "model")
    os.mkdir(model)
    spec.validate()
    spec.save(model)
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    translator = ctranslate2.Translator(model, intra_threads=threads)
    sentences = [[str(w) for w in rng.choice(WORDS, 20)] for _ in range(16)]
    done = translator.translate_batch(sentences, beam_size=2, max_decoding_length=24)
    for one in done[::2]:
        print(" ".join(one.hypotheses[0][:8]))
sys.stdout.flush()
