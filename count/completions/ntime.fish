# SPDX-License-Identifier: MIT
# Completion of ntime for fish. Subcommands and options come from "ntime complete-subcommands" and
# "ntime complete-options", words of closed sets from "ntime complete-words", the events from "ntime
# list --names", so that all are those of the ntime that is installed.

# What may stand behind the words $argv, where that is one of a closed set.
function __ntime_closed
    $__ntime_program complete-words (string split ' ' -- $argv) 2>/dev/null
end

# "--LONG<TAB>what it is" of the options of subcommand $argv[1]; with $argv[2] the short ones too.
function __ntime_options
    $__ntime_program complete-options (string split ' ' -- $argv[1]) 2>/dev/null | while read -d \t -l sub long short arg help
        test "$sub" = "$argv[1]"; or continue
        printf '%s\t%s\n' $long $help
        test -z "$short" -o -z "$argv[2]"; or printf '%s\t%s\n' $short $help
    end
end

# What option $argv[2] of subcommand $argv[1] takes; nothing when it takes nothing.
function __ntime_argument
    $__ntime_program complete-options (string split ' ' -- $argv[1]) 2>/dev/null | while read -d \t -l sub long short arg help
        test "$sub" = "$argv[1]"; or continue
        contains -- $argv[2] $long $short; and echo $arg
    end
end

# Events or metrics (the words behind): the part behind the last comma or brace of $argv[1] is completed.
function __ntime_names
    set -l before (string replace -r '[^,{]*$' '' -- $argv[1])
    $__ntime_program list $argv[2..-1] --names 2>/dev/null | while read -l name
        echo $before$name
    end
end

# What an option that takes $argv[1] may be given; $argv[2]: the option, $argv[3]: what is typed of it;
# $argv[4]: its subcommand.
function __ntime_values
    switch $argv[1]
        case LIST
            contains -- $argv[2] -e --event; and __ntime_names $argv[3]
        case METRIC
            __ntime_names $argv[3] --metrics
        case 'PID*'
            __fish_complete_pids
        case GROUP
            __fish_complete_groups
        case DIR
            __fish_complete_directories $argv[3]
        case '*FILE*' SOCKET
            __fish_complete_path $argv[3]
        case '*'
            __ntime_closed $argv[4] $argv[2]
    end
end

# Commands of PATH that begin with $argv[1]: from two letters on, there are thousands; files as soon as it is a path.
function __ntime_commands
    if string match -q -- '*/*' $argv[1]; or string match -q -- '~*' $argv[1]
        __fish_complete_path $argv[1]
    else if test (string length -- $argv[1]) -ge 2; and not string match -q -- '-*' $argv[1]
        complete -C $argv[1] | while read -d \t -l name about
            # Not what the shell alone knows.
            command -q -- $name; and printf '%s\t%s\n' $name $about
        end
    end
end

# Words of the positions behind subcommand $argv[1]; $argv[2]: what is typed, then the words in between.
function __ntime_words
    set -l count (count $argv[3..-1])
    switch $argv[1]
        case list watch export
            __ntime_names $argv[2]
        case compare
            __fish_complete_path $argv[2]
            string match -q -- '*/*' $argv[2]; or __ntime_commands $argv[2]
        case gl
            test $count -eq 0; and __ntime_closed gl; and __ntime_commands $argv[2]
        case help
            if test $count -eq 0
                $__ntime_program complete-subcommands 2>/dev/null
            else
                __ntime_closed $argv[3]
            end
        case lab reg driver model trace
            if test $count -eq 0
                __ntime_closed $argv[1]
            else if test $argv[1] = lab; or test "$argv[1] $argv[3]" = 'model run'
                __ntime_closed $argv[1] $argv[3]
            else if test $argv[1] = reg; and not contains -- $argv[3] diff dump
                $__ntime_program reg ls --names 2>/dev/null
            else
                __fish_complete_path $argv[2]
            end
    end
end

function __ntime_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l sub stat
    set -l rest
    set -g __ntime_program $words[1]
    set -e words[1]
    set -l is_first (test (count $words) -eq 0; and echo yes)
    set -l subcommands ($__ntime_program complete-subcommands 2>/dev/null)
    if set -q words[1]; and string match -q -- "$words[1]"\t'*' $subcommands
        set sub $words[1]
        set -e words[1]
    end
    set -l table $sub
    test $sub = trace; and set -q words[1]; and set table "trace $words[1]"

    # Words that options take are not ours; from the first other word of stat on, it is the measured command.
    set -l pending
    set -l option
    while set -q words[1]
        set -l one $words[1]
        if test -n "$pending"
            set pending
        else if test "$one" = --
            set -e words[1]
            complete -C (string join ' ' -- (string escape -- $words) (string escape -- $word))
            return
        else if string match -q -- '-*' $one
            set option $one
            set pending (__ntime_argument $table $one)
        else if test $sub = stat -o $sub = gl -a "$one" != list
            complete -C (string join ' ' -- (string escape -- $words) (string escape -- $word))
            return
        else
            set -a rest $one
        end
        set -e words[1]
    end
    if test -n "$pending"
        __ntime_values $pending $option $word $table
        return
    end
    if string match -q -- '--*=*' $word
        set option (string replace -r '=.*' '' -- $word)
        set pending (__ntime_argument $table $option)
        __ntime_values "$pending" $option (string replace -r '^[^=]*=' '' -- $word) $table | string replace -r -- '^' "$option="
        return
    end
    if test $sub != stat
        string match -q -- '-*' $word; and __ntime_options $table short; or __ntime_words $sub $word $rest
        return
    end
    begin
        test -n "$is_first"; and printf '%s\n' $subcommands
        __ntime_options stat (string match -- '-*' $word)
        test -n "$is_first"; and __ntime_options ntime (string match -- '-*' $word)
        __ntime_commands $word
        # What fish finds in the middle of words is only noise here.
    end | string match -er -- '^'(string escape --style=regex -- $word)
end

complete -c ntime -f -k -a '(__ntime_complete)'
