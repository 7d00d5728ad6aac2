"""PySCF: Hartree-Fock, a density functional and MP2 of a water dimer."""

from pyscf import dft, gto, mp, scf

water = gto.M(atom="O 0 0 0; H 0.76 0.59 0; H -0.76 0.59 0; O 0 -2.9 0.1; H 0.1 -1.95 0; "
                   "H -0.8 -3.2 0.4", basis="cc-pvdz", verbose=0)
field = scf.RHF(water).run()
print("RHF", field.e_tot)
print("MP2", mp.MP2(field).run().e_tot)
functional = dft.RKS(water)
functional.xc = "b3lyp"
print("B3LYP", functional.run().e_tot)
