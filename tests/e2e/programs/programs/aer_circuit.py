"""Qiskit Aer: a random circuit of 20 qubits as a state vector."""

import numpy as np
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator

QUBITS = 20
rng = np.random.default_rng(36)
circuit = QuantumCircuit(QUBITS)
for layer in range(8):
    for qubit in range(QUBITS):
        circuit.rx(rng.random() * 3, qubit)
        circuit.rz(rng.random() * 3, qubit)
    for qubit in range(layer % 2, QUBITS - 1, 2):
        circuit.cx(qubit, qubit + 1)
circuit.save_statevector()
simulator = AerSimulator(method="statevector", seed_simulator=36)
state = np.asarray(simulator.run(circuit).result().get_statevector())
for amplitude in state[::1 << 16]:
    print(repr(float(amplitude.real)), repr(float(amplitude.imag)))
