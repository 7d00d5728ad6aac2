# bash completion of doall. No list stands here: commands, options, schedules and
# benchmarks are what the installed doall says of itself.

# The names of a command's options.
__doall_options() {
  "$doall" "$@" --help 2>/dev/null | sed -En 's/^ *(-[a-zA-Z], ?)?(--[a-z][a-z-]*).*/\2/p'
}

# What the help says stands behind option $1, as P in "--threads P"; it begins with
# "[=" if the value may be left out, and is nothing if there is none.
__doall_value_of() {
  "$doall" "$command" --help 2>/dev/null |
    sed -En "s/^ *((-[a-zA-Z]), ?)?(--[a-z][a-z-]*)([[][^ ]*)?( ([^ ]+))?( .*)?$/\2 \3 \4\6/p" |
    awk -v option="$1" '$1 == option || $2 == option { print $NF; exit }' | grep -v '^-'
}

# Completes the word to a value of the kind $1.
__doall_value() {
  local list="" last=${word#[\'\"]}
  case $1 in
    name\[* | S\;* | SCHEDULE)
      # Of a list that ";" parts the last; a schedule's numbers are the user's to know.
      [[ $last == *";"* ]] && list=${last%";"*}";" last=${last##*";"}
      mapfile -t COMPREPLY < <(compgen -P "$list" -W \
        "$("$doall" schedules 2>/dev/null | sed -n '2,/^$/s/ .*//p')" -- "$last")
      compopt -o nospace 2>/dev/null
      ;;
    *FILE*)
      mapfile -t COMPREPLY < <(compgen -f -- "$last")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}

# Completes the word to a program, or an argument of the one that is word $1.
__doall_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}

_doall() {
  local doall=$1 command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
  local at option="" first=0 last=$COMP_CWORD usage
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(__doall_options)
      $("$doall" --help | sed -En '/^Commands:/,/^$/s/^  ([a-z+]+) .*/\1/p')" -- "$word")
    return
  fi

  # `option` is the one whose value comes next, `first` the first word that is
  # neither an option nor a value: if it is a program or has arguments of its own,
  # what follows is not ours. bash makes "=" a word of its own.
  usage=$("$doall" "$command" --help 2>/dev/null | grep '^Usage:')
  for ((at = 2; at < last; ++at)); do
    case ${COMP_WORDS[at]} in
      "=") ;;
      --) first=$((at + 1)) last=$at ;;
      *)
        if [[ -n $option ]]; then
          option=""
        elif [[ ${COMP_WORDS[at]} != -* ]]; then
          first=$at
          [[ $usage == *PROGRAM* || $usage == *ARGS* ]] && last=$at
        elif [[ ${COMP_WORDS[at + 1]} == "=" || $(__doall_value_of "${COMP_WORDS[at]}") == [!\[]* ]]; then
          option=${COMP_WORDS[at]}
        fi
        ;;
    esac
  done
  [[ $word == "=" ]] && word=""

  if [[ -n $option ]]; then
    __doall_value "$(__doall_value_of "$option")"
  elif [[ $word == -* && ($first -eq 0 || $usage != *ARGS*) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(__doall_options "$command")" -- "$word")
  elif [[ $usage == *PROGRAM* ]]; then
    __doall_program $((first == 0 ? COMP_CWORD : first))
  elif [[ $usage == *NAME* && $first -eq 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$doall" "$command" 2>/dev/null)" -- "$word")
  elif [[ $usage == *SCHEDULE* && $first -eq 0 ]]; then
    __doall_value SCHEDULE
  fi
}

complete -F _doall doall
