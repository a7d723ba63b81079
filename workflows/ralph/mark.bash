# mark SIGN: replaces the blank in "- [ ] item" of the item in ralph/item.md by
# SIGN. The item's file goes last, so that a step which runs twice marks once,
# and the list is written beside itself and renamed, so that it is never half.
mark() {
  local list=${todo:-TODO.md} item line marked=
  if [ ! -f ralph/item.md ]; then return 0; fi
  item=$(cat ralph/item.md)
  while IFS= read -r line || [ -n "$line" ]; do
    if [ -z "$marked" ] && [ "$line" = "- [ ] $item" ]; then
      line="- [$1] $item"
      marked=yes
    fi
    printf '%s\n' "$line"
  done <"$list" >"$list.part"
  mv "$list.part" "$list"
  rm -f ralph/item.md
}
