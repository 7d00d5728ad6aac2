#!/bin/bash
# `doall compare` of a program whose figures are known: what is noise, in the terminal, as data and
# as a page.
#   compare.sh DOALL
doall=$1
subcommand=compare
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

# Prints what its schedule asks for: its runs under each schedule are counted in a file.
cat >app.c <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  const char* schedule = getenv("DOALL_SCHEDULE");
  const int on_doall = getenv("LD_PRELOAD") != NULL;
  if (schedule == NULL) schedule = on_doall ? "doall" : "libgomp";
  FILE* runs = fopen(schedule, "a+");
  fputc('.', runs);
  fseek(runs, 0, SEEK_END);
  const long run = ftell(runs);
  fclose(runs);
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  const int swings = run % 2 == 0;
  double units = 10;
  if (!strcmp(schedule, "doall")) units = 30;
  if (!strcmp(schedule, "guided")) units = 5 + 0.1 * swings;
  if (!strcmp(schedule, "trapezoid")) units = 5.2 - 0.3 * swings;
  if (!strcmp(schedule, "affinity")) units = 9 + 3 * swings;
  if (!strcmp(schedule, "static-steal")) units = 20;
  if (argc > 1) units *= atof(argv[1]);
  printf("units: %g\n", units);
  return sum != 4950;
}
PROGRAM
what="compiling"
gcc -O1 -fopenmp app.c -o app >out 2>err || complain "app.c does not compile"

# row PATTERN: the table has a row like this.
row() { grep -qE -- "^$1" out || complain "no row like \"$1\""; }

ours=(--schedules='guided;trapezoid')
ours+=(--schedules='affinity;static-steal')
ends 0 --metric=units "${ours[@]}" --peers=dynamic --html=page.html --json=data.json -- ./app
quiet
says "Best is doall guided; the best of libgomp's is own, and doall is at 0.51 of it (0.50 to 0.51)."
says "Level with doall guided, but for noise: trapezoid."
row "libgomp +own +10.000 +10.000..10.000 +1.00 +1.00 .* +same"
row "libgomp +dynamic +10.000 +10.000..10.000 +1.00 .* +same"
row "doall +guided +5.050 +5.000..5.100 +0.51 .*same"
row "doall +affinity +10.500 +9.000..12.000 +1.05 .*noise +"
row "doall +static-steal +20.000 +20.000..20.000 +2.00 "
says "noise: the 95 % interval of that median holds 1."
what="the data of compare"
python3 - >out 2>err <<'CHECK' || complain "they are not as expected"
import json, re
data = json.load(open("data.json"))
assert data["schema"] == "doall-compare/3" and data["metric"] == "units", data
to = {row["schedule"]: row["to_libgomp"]["dynamic"] for row in data["rows"]
      if row["set"] == "schedule"}
assert to["dynamic"]["ratio"] == 1, to
words = [one["word"] for one in to.values()]
assert words == [None, "better", "better", "noise", "worse"], words
assert (to["affinity"]["low"], to["affinity"]["high"]) == (0.9, 1.2), to
assert all(len(row["samples"]) == 6 for row in data["rows"])
page = open("page.html").read()
shown = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
assert shown == data
assert not re.search(r"https?://|src=", page.replace("http://www.w3.org/2000/svg", ""))
CHECK

ends 0 --metric=units --schedules='affinity' --peers=dynamic -- ./app
says "The best of doall's, affinity, and the best of libgomp's, own, differ by noise: 1.05 of it (0.90 to 1.20)."
ends 0 --metric=units --schedules=static-steal --peers=dynamic -- ./app
says "Best is libgomp own; the best of doall's is static-steal, at 2.00 of it (2.00 to 2.00)."
ends 0 --metric=units --schedules=guided --peers=dynamic --runs=5 --html=page.html -- ./app
says "so few runs cannot tell a difference from noise."
says "5 rounds are too few to tell a difference from noise: give --runs=6 or more."
grep -q '"few runs"' page.html || complain "the page does not say so"
ends 0 --metric=units --schedules=guided --peers=dynamic --html=page.html -- ./app -1
says "there are no ratios"; row "doall +guided .* - +"

# Said before the program runs.
rm -f guided
ends 1 --schedules=guided --html=no/page.html -- ./app; warns "cannot write the page to no/page.html"
[ ! -e guided ] || complain "the program ran, though its results have nowhere to go"

# Files that the program is to write, and figures that are none.
cat >writer.sh <<'PROGRAM'
#!/bin/bash
[ "$1" = always ] || [ -z "$DOALL_SCHEDULE" ] && echo answer >answer
./app >/dev/null
PROGRAM
chmod +x writer.sh
few=(--runs=1 --schedules=guided --peers=dynamic)
ends 1 "${few[@]}" --output=typo -- ./writer.sh always; warns "did not write typo, which --output names"
ends 0 "${few[@]}" --output=answer -- ./writer.sh always; row "doall +guided .*same"
echo older >answer && touch -d @1000000000 answer
ends 1 "${few[@]}" --output=answer -- ./app; warns "did not write answer, which --output names"
[ "$(stat -c %Y answer)" = 1000000000 ] || complain "a file that was not written has another time"
ends 0 "${few[@]}" --output=answer -- ./writer.sh; warns "no row for doall guided: "
warns "did not write answer"
mkfifo pipe
ends 2 "${few[@]}" --output=pipe -- ./app; warns "--output=pipe is no regular file"
ends 1 "${few[@]}" --metric=other -- sh -c './app; echo other: inf'; warns 'printed no line "other: NUMBER"'

# The place of temporary files is the user's.
ended_with 1 env TMPDIR=/nonexistent "$doall" compare "${few[@]}" -- ./app
warns "cannot make a temporary file in /nonexistent: No such file or directory"

# A signal that was ignored from the start, as by nohup, does not end it.
what="hangups that are ignored"
(trap '' HUP && exec "$doall" compare --runs=3 --schedules=guided --peers=dynamic \
  -- sh -c 'kill -HUP $PPID; ./app') >out 2>err || complain "it ended"
row "doall +guided "

# A peer is any text.
evil="</script><script>alert(1)</script><!--"
ends 0 --metric=units --schedules=guided --peers="$evil" --html=evil.html -- ./app
cp evil.html out; lacks "alert(1)</script>"; lacks "<!--"
finish
