# Makes of a public header what doxygen wants: awk -f headers.awk FILE.
#
# C: ordinary comments become doxygen's. Those on lines of their own are about what follows, the first
# one about the header, those after a declaration about what stands before; a typedef of a struct's own name would be a second declaration.
# C++: what the namespace holds becomes a group of the header's name, which a page of the site shows.

/SPDX-License-Identifier/ { print ""; next }

FILENAME ~ /\.h$/ {
  if ($0 ~ /^#define TRIDIA_[A-Z_]*H$/) at_top = 1
  else if ($0 ~ /^#include/) at_top = 0
  else if (at_top && $0 ~ /^\/\* /) {
    print "/** @file"
    sub(/^\/\*/, " *")
    at_top = 0
  }
  if (match($0, /^ *\/\* /)) sub(/\/\* /, "/** ")
  else sub(/ \/\* /, " /**< ")
  if ($0 ~ /^typedef (struct|enum) [a-z_]+ \{/) sub(/^typedef /, "")
  sub(/^} [a-z_]+;/, "};")
}

# Breathe does not read a constant that a lambda computes.
in_lambda { if ($0 ~ /^ *}\(\);$/) in_lambda = 0; next }
/ = \[\] \{$/ { sub(/ = \[\] \{$/, ";"); in_lambda = 1 }

FILENAME ~ /\.(hpp|cuh)$/ {
  if ($0 ~ /^}  \/\/ namespace tridia/) print "/** @} */"
  print
  if ($0 ~ /^namespace tridia.* \{$/) {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.(hpp|cuh)$/, "", name)
    print "/** @addtogroup " name " " name
    print " * @{ */"
  }
  next
}

{ print }
