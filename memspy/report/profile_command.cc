// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_command.h"

#include "report/input.h"
#include "report/output.h"

namespace memspy::report {

int show_profiles(const Arguments& arguments, ProfileHandler& reader,
                  const std::function<void(std::ostream& out, SourceNames* names)>& print) {
    const std::vector<std::string>& files = arguments.some_files();
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    const bool whole = inputs.read_profiles(files, reader);
    Output output(arguments.value("output"));
    print(output.stream(), names.get());
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace memspy::report
