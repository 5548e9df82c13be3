// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/info.hpp"

#include "bind.hpp"
#include "tridia/types.hpp"

#include <string>

namespace tridia::python {

namespace nb = nanobind;

namespace {

nb::list names_of_algorithms() {
  nb::list names;
  for (const std::string_view name : tridia::names<algorithm>()) {
    names.append(nb::str(name.data(), name.size()));
  }
  return names;
}

nb::str text(const std::string& s) { return nb::str(s.c_str(), s.size()); }

nb::dict info() {
  system_info s;
  {
    const nb::gil_scoped_release released;
    s = query_system();
  }
  nb::list devices;
  for (const cuda_device& g : s.cuda_devices) {
    nb::dict d;
    d["ordinal"] = g.ordinal;
    d["name"] = text(g.name);
    d["compute_capability"] =
        nb::make_tuple(g.compute_capability_major, g.compute_capability_minor);
    d["memory_bytes"] = g.memory_bytes;
    d["multiprocessors"] = g.multiprocessors;
    devices.append(d);
  }
  nb::dict result;
  result["version"] = text(version());
  result["cuda_built"] = s.cuda_built;
  result["cuda_runtime"] = text(s.cuda_runtime);
  result["cuda_devices"] = devices;
  result["simd"] = text(s.simd);
  result["threads"] = s.threads;
  result["algorithms"] = names_of_algorithms();
  return result;
}

}  // namespace

void bind_info(nb::module_& m) {
  m.def("info", &info);
  m.def("version", [] { return text(version()); });
}

}  // namespace tridia::python
