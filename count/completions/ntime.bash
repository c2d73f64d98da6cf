# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of ntime for bash. Subcommands and options come from "ntime complete-subcommands" and
# "ntime complete-options", words of closed sets from "ntime complete-words", the events from "ntime
# list --names", so that all are those of the ntime that is installed. Works alone; with the package
# bash-completion the measured command is completed with its own rules.

# Words of $1 that begin with $2 into COMPREPLY, one a line so that names may have blanks.
_ntime_reply()
{
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		[[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$word")
	done <<<"$1"
}

# Lines "WORD<TAB>what it is" of $1 whose word begins with $2 into COMPREPLY, in this order. Where bash lists and does not insert
# (bash(1), COMP_TYPE), each with what it is.
_ntime_describe()
{
	local word about width=0 i
	local -a words=() abouts=()
	while IFS=$'\t' read -r word about; do
		[[ -n $word && $word == "$2"* ]] || continue
		words+=("$word")
		abouts+=("$about")
		[[ -z $about ]] || ((${#word} <= width)) || width=${#word}
	done <<<"$1"
	COMPREPLY=("${words[@]}")
	compopt -o nosort 2>/dev/null
	[[ ${COMP_TYPE-} == @(33|63|64) ]] && ((${#words[@]} > 1)) || return 0
	for i in "${!words[@]}"; do
		[[ -z ${abouts[i]} ]] && continue
		printf -v word '%-*s  (%s)' "$width" "${words[i]}" "${abouts[i]}"
		COMPREPLY[i]=${word:0:$((${COLUMNS:-80} - 1))}
	done
}

# Such lines of the options of subcommands $1 ("stat,ntime") out of $2; short ones only where the word $3 begins with a dash.
_ntime_options_of()
{
	awk -F'\037' -v subs="$1" -v word="$3" '
		BEGIN { n = split(subs, wanted, ",") }
		{ row[NR] = $1; long[NR] = $2; short[NR] = $3; about[NR] = $5 }
		function offer(word, text) { if (word != "" && !(word in told)) { told[word] = 1; print word "\t" text } }
		END {
			for (i = 1; i <= n; i++)
				for (r = 1; r <= NR; r++)
					if (row[r] == wanted[i]) {
						offer(long[r], about[r])
						if (word ~ /^-/)
							offer(short[r], about[r])
					}
		}' <<<"$2"
}

# Lines of the commands of PATH that begin with $1: from two letters on, there are thousands.
_ntime_commands()
{
	local word
	((${#1} >= 2)) || return 0
	compgen -c -- "$1" | sort -u | while IFS= read -r word; do
		# Not what the shell alone knows.
		[[ -n $(type -P -- "$word") ]] && printf '%s\n' "$word"
	done
}

# Events or metrics: the part behind the last comma or brace; names may have colons, which bash takes for ends of words.
_ntime_names()
{
	local names=$1 whole=$2 last word
	last=${whole##*[,\{]}
	local before=${whole%"$last"}
	COMPREPLY=()
	while IFS= read -r word; do
		[[ -n $word && $word == "$last"* ]] && COMPREPLY+=("$before$word")
	done <<<"$names"
	compopt -o nospace 2>/dev/null
	declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$whole"
}

# The command line from word $1 on belongs to the measured command.
_ntime_command()
{
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		compopt -o default 2>/dev/null
	fi
}

# What option $2 of subcommand $1 takes, "" when nothing.
_ntime_argument()
{
	local sub long short arg _rest
	while IFS=$'\x1f' read -r sub long short arg _rest; do
		[[ $sub == "$1" && ($long == "$2" || $short == "$2") ]] && printf '%s' "$arg"
	done <<<"$3"
}

# Files, or with -d directories, that begin with $1.
_ntime_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "${@:2}" -- "$1")
}

# What option $3 of subcommand $2, which takes $4, may be given; $5: what is typed of it.
_ntime_value()
{
	local ntime=$1 cur=$5
	case $4 in
	LIST)
		[[ $3 == @(-e|--event) ]] && _ntime_names "$("$ntime" list --names 2>/dev/null)" "$cur"
		;;
	METRIC) _ntime_names "$("$ntime" list --metrics --names 2>/dev/null)" "$cur" ;;
	DIR) _ntime_files "$cur" -d ;;
	*FILE* | SOCKET) _ntime_files "$cur" -f ;;
	GROUP) _ntime_reply "$(cut -d: -f1 /etc/group)" "$cur" ;;
	PID*) _ntime_reply "$(cd /proc && printf '%s\n' [0-9]*)" "$cur" ;;
	*)
		# shellcheck disable=SC2086  # "trace show" is two words
		_ntime_describe "$("$ntime" complete-words $2 "$3" 2>/dev/null)" "$cur"
		;;
	esac
}

# What stands behind action $3 of subcommand $2; $4: what is typed of it.
_ntime_operand()
{
	local ntime=$1 cur=$4
	case $2 in
	reg)
		if [[ $3 == diff ]]; then
			_ntime_files "$cur" -f -W live
		elif [[ $3 != dump ]]; then
			_ntime_names "$("$ntime" reg ls --names 2>/dev/null)" "$cur"
		fi
		;;
	*)
		_ntime_reply "$("$ntime" complete-words "$2" "$3" 2>/dev/null)" "$cur"
		[[ $2 == @(driver|lab) || ${#COMPREPLY[@]} -gt 0 ]] || _ntime_files "$cur" -f
		;;
	esac
}

_ntime()
{
	local ntime=$1 cur=$2 options sub=stat i word arg pending='' option='' from=1 has_dashes=''
	local subcommands own=''

	COMPREPLY=()
	subcommands=$("$ntime" complete-subcommands 2>/dev/null)
	if ((COMP_CWORD > 1)) && [[ $'\n'$subcommands == *$'\n'"${COMP_WORDS[1]}"$'\t'* ]]; then
		sub=${COMP_WORDS[1]}
		from=2
		if [[ $sub == trace ]]; then
			((COMP_CWORD > 2)) && sub="trace ${COMP_WORDS[2]}"
			from=3
		fi
	fi
	# Tabs would be merged by read where a field is empty.
	# shellcheck disable=SC2086  # "trace show" is two words
	options=$("$ntime" complete-options $sub 2>/dev/null | tr '\t' '\037')
	for ((i = from; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == '=' || -n $pending ]]; then
			# "--event=x" arrives as three words.
			[[ $word == '=' ]] && continue
			# A name with colons or commas goes on in the next words.
			[[ $word == : || ${COMP_WORDS[i + 1]-} == : ]] && continue
			pending='' option=''
			continue
		fi
		case $word in
		--)
			has_dashes=yes
			((i++))
			break
			;;
		-*)
			arg=$(_ntime_argument "$sub" "$word" "$options")
			[[ -n $arg ]] && pending=$arg option=$word
			;;
		*)
			[[ $sub == stat || ($sub == gl && $word != list) ]] && break
			;;
		esac
	done
	[[ $cur == '=' ]] && cur=''
	if [[ $sub == @(stat|gl|reg) && ($has_dashes || ($sub != reg && $i -lt $COMP_CWORD)) ]]; then
		_ntime_command "$i"
		return
	fi
	[[ $has_dashes ]] && return
	if [[ $pending ]]; then
		_ntime_value "$ntime" "$sub" "$option" "$pending" "$cur"
		return
	fi
	if [[ $cur == -* ]]; then
		((COMP_CWORD == 1)) && own=,ntime
		_ntime_describe "$(_ntime_options_of "$sub$own" "$options" "$cur")" "$cur"
	elif [[ $sub == help ]] && ((COMP_CWORD == 2)); then
		_ntime_describe "$subcommands" "$cur"
	elif [[ $sub == help ]] && ((COMP_CWORD == 3)); then
		_ntime_reply "$("$ntime" complete-words "${COMP_WORDS[2]}" 2>/dev/null)" "$cur"
	elif [[ $sub == @(reg|driver|lab|model|trace*) ]]; then
		if ((COMP_CWORD == 2)); then
			_ntime_reply "$("$ntime" complete-words "$sub" 2>/dev/null)" "$cur"
		else
			_ntime_operand "$ntime" "${sub% *}" "${COMP_WORDS[2]}" "$cur"
		fi
	elif [[ $sub == compare ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(
			compgen -f -- "$cur"
			[[ $cur == *[/~]* ]] || _ntime_commands "$cur"
		)
	elif [[ $sub == gl ]]; then
		_ntime_reply "$("$ntime" complete-words gl 2>/dev/null; _ntime_commands "$cur")" "$cur"
	elif [[ $sub == @(list|watch|export) ]]; then
		_ntime_names "$("$ntime" list --names 2>/dev/null)" "$cur"
	elif [[ $sub == stat ]]; then
		if [[ $cur == *[/~]* ]]; then
			_ntime_command "$COMP_CWORD"
			return
		fi
		((COMP_CWORD == 1)) && own=,ntime || subcommands=''
		_ntime_describe "$(
			printf '%s\n' "$subcommands"
			_ntime_options_of "$sub$own" "$options" "$cur"
			_ntime_commands "$cur" | grep -vxF -- "$(cut -f1 <<<"$subcommands")"
		)" "$cur"
	fi
}

complete -F _ntime ntime
