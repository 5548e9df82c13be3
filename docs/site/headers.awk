# Makes of a public header what doxygen wants: awk -f headers.awk FILE.
#
# C: ordinary comments become doxygen's. Those on lines of their own are about what follows, those after
# a declaration about what stands before; a typedef of a struct's own name would be a second declaration.
# C++: what the namespace holds becomes a group of the header's name, which a page of the site shows.

/SPDX-License-Identifier/ { print ""; next }

FILENAME ~ /\.h$/ {
  if (match($0, /^ *\/\* /)) sub(/\/\* /, "/** ")
  else sub(/ \/\* /, " /**< ")
  if ($0 ~ /^typedef (struct|enum) [a-z_]+ \{/) sub(/^typedef /, "")
  sub(/^} [a-z_]+;/, "};")
}

FILENAME ~ /\.hpp$/ {
  if ($0 ~ /^}  \/\/ namespace tridia/) print "/** @} */"
  print
  if ($0 ~ /^namespace tridia.* \{$/) {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.hpp$/, "", name)
    print "/** @addtogroup " name " " name
    print " * @{ */"
  }
  next
}

{ print }
