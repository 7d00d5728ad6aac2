#!/usr/bin/env python3
"""Checks that the directives of tests are read as DejaGnu reads them."""

import os
import tempfile
import unittest

import directives


def read(text, language="c"):
    with tempfile.NamedTemporaryFile("w", suffix=".c", delete=False) as file:
        file.write(text)
    try:
        return directives.read(file.name, language)
    finally:
        os.unlink(file.name)


class Directives(unittest.TestCase):
    def test_runs_by_default_with_no_options(self):
        test = read("int main (void) { return 0; }\n")
        self.assertEqual((test.do, test.options, test.more_options), ("run", None, []))

    def test_reads_options_environment_and_sources(self):
        test = read('/* { dg-do run } */\n'
                    '/* { dg-options "-O0 -g" } */\n'
                    '/* { dg-additional-options "-std=c99" { target c } } */\n'
                    '/* { dg-additional-options "-std=c++17" { target c++ } } */\n'
                    '/* { dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } */\n'
                    '/* { dg-additional-sources "a.c b.c" } */\n')
        self.assertEqual(test.options, ["-O0", "-g"])
        self.assertEqual(test.more_options, ["-std=c99"])
        self.assertEqual(test.environment, {"OMP_PLACES": "{6,7}:4:-2,!{2,3}"})
        self.assertEqual(test.sources, ["a.c", "b.c"])

    def test_leaves_out_what_is_for_devices(self):
        for line in ('{ dg-do run { target offload_device_nonshared_as } }',
                     '{ dg-require-effective-target offload_device }',
                     '{ dg-skip-if "" { *-*-* } }'):
            self.assertIsNone(read(f"/* {line} */\n").do, line)
        self.assertEqual(read("/* { dg-do compile } */\n").do, "compile")

    def test_selects_targets(self):
        for text, holds in (("*-*-linux* *-*-gnu*", True), ("! *-*-linux*", False),
                            ("lp64 && { ! lp64 }", False), ("{ ! ia32 } && lto", True),
                            ("i?86-*-* x86_64-*-*", True), ("aarch64*-*-*", False),
                            ("{ i?86-*-* x86_64-*-* } && lp64", True), ("c", True), ("c++", False)):
            self.assertEqual(directives.selected(text, "c"), holds, text)

    def test_reads_what_must_be_printed(self):
        test = read('/* { dg-shouldfail "error directive" } */\n'
                    '/* { dg-output "The answer is \\\\\\[42\\\\\\](\\n|\\r)+" } */\n')
        self.assertTrue(test.fails)
        self.assertRegex("The answer is [42]\n", test.output)


if __name__ == "__main__":
    unittest.main()
