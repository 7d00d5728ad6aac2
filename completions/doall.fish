# fish completion of doall. No list stands here: commands, options, schedules and
# benchmarks are what the installed doall says of itself.

# A command's options and what the help says of them, parted by tabs.
function __doall_options
    doall $argv --help 2>/dev/null |
        string replace -rf '^ *(?:-[a-zA-Z], ?)?(--[a-z][a-z-]*)\S*(?: \S+)?\s*(.*)$' '$1\t$2'
end

# What the help says stands behind option $argv[2] of command $argv[1], as P in
# "--threads P"; nothing if there is none.
function __doall_value_of
    doall $argv[1] --help 2>/dev/null | string match -rq -- \
        '^ *(?:-[a-zA-Z], ?)?'(string escape --style=regex -- $argv[2])'(?<kind>\[\S*| \S+)?( |$)'
    or doall $argv[1] --help 2>/dev/null | string match -rq -- \
        '^ *'(string escape --style=regex -- $argv[2])', ?--[a-z-]+(?<kind>\[\S*| \S+)?( |$)'
    string trim -- $kind
end

# Values of the kind $argv[1] for the token $argv[2], which $argv[3] comes before.
function __doall_values
    switch $argv[1]
        case 'name*' 'S;*' SCHEDULE
            set -l list (string match -r '^.*;' -- $argv[2])
            string replace -r '^' -- "$argv[3]$list" (doall schedules 2>/dev/null |
                string match -r '^[a-z][a-z-]*(?=  )' | string match -v name)
        case '*FILE*'
            string replace -r '^' -- "$argv[3]" (__fish_complete_path $argv[2])
    end
end

function __doall_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l command $words[2]
    if test -z "$command"
        doall --help | string replace -rf '^  ([a-z+]+) {2,}(.*)$' '$1\t$2'
        string match -q -- '-*' $token; and __doall_options
        return
    end

    # `option` is the one whose value comes next, `first` the first word that is
    # neither an option nor a value: if it is a program or has arguments of its own,
    # what follows is not ours.
    set -l usage (doall $command --help 2>/dev/null | string match 'Usage:*')
    set -l ours true
    string match -q '*PROGRAM*' $usage; or string match -q '*ARGS*' $usage; and set ours false
    set -l option ''
    set -l first 0
    for at in (seq 3 (count $words))
        if test -n "$option"
            set option ''
        else if test "$words[$at]" = --
            set first (math $at + 1)
            break
        else if not string match -q -- '-*' $words[$at]
            set first $at
            test $ours = false; and break
        else if not string match -q -- '*=*' $words[$at]
            set -l kind (__doall_value_of $command $words[$at])
            test -n "$kind"; and not string match -q '[[]=*' $kind; and set option $words[$at]
        end
    end

    if test -n "$option"
        __doall_values (__doall_value_of $command $option) "$token" ''
    else if string match -q -- '--*=*' $token; and begin
            test $first -eq 0; or not string match -q '*ARGS*' $usage
        end
        set -l parts (string split -m 1 = -- $token)
        __doall_values (__doall_value_of $command $parts[1]) "$parts[2]" "$parts[1]="
    else if string match -q -- '-*' $token; and begin
            test $first -eq 0; or not string match -q '*ARGS*' $usage
        end
        __doall_options $command
    else if string match -q '*PROGRAM*' $usage
        test $first -eq 0; and set first (math (count $words) + 1)
        complete -C "$(string join ' ' -- (string escape -- $words[$first..-1]) $token)"
    else if test $first -eq 0; and string match -q '*NAME*' $usage
        doall $command 2>/dev/null
    else if test $first -eq 0; and string match -q '*SCHEDULE*' $usage
        __doall_values SCHEDULE "$token" ''
    end
end

complete -c doall -f -a '(__doall_complete)'
