// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/mpi_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace memspy::machine {
namespace {

// Values of MPICH's ABI, which Intel's, MVAPICH's and Cray's libraries share.
constexpr MpiHandle kMpichWorld = 0x44000000, kMpichByte = 0x4c00010d, kMpichDouble = 0x4c00080b,
                    kMpichSum = 0x58000003;
constexpr int kTag = 17;
// At least that of a status, and of what the libraries want for texts.
constexpr int kStatusBytes = 128, kTextBytes = 8192;

void check(int result) {
    if (result != 0) throw std::runtime_error("MPI reports error " + std::to_string(result));
}

// Global, because the libraries load parts of their own that refer to them.
void* load(const std::string& name) { return dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL); }

void* load_any(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* const library = load(name); library != nullptr) return library;
    return nullptr;
}

void* load_library(const std::string& file) {
    void* library = nullptr;
    if (!file.empty()) {
        library = load(file);
        if (library == nullptr) throw std::runtime_error(file + " cannot be loaded: " + dlerror());
        return library;
    }
    // Each launcher speaks to its own library only.
    if (std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMIX_RANK") != nullptr)
        library = load_any({"libmpi.so.40", "libmpi.so.80", "libmpi.so"});
    else if (std::getenv("PMI_RANK") != nullptr || std::getenv("PMI_FD") != nullptr)
        library = load_any({"libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.so"});
    else
        throw std::runtime_error("start it by mpirun, mpiexec or srun: mpirun -n 2 memspy-machine network");
    if (library == nullptr)
        throw std::runtime_error("the launcher's MPI library is not found; --mpi-library=FILE names it");
    return library;
}

}  // namespace

template <typename Function>
Function* MpiLibrary::find(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(std::string("the MPI library has no ") + name);
    return reinterpret_cast<Function*>(found);
}

MpiLibrary::MpiLibrary(const std::string& file) : library_(load_library(file)) {
    if (void* const world = dlsym(library_, "ompi_mpi_comm_world"); world != nullptr) {
        world_ = reinterpret_cast<MpiHandle>(world);
        byte_ = reinterpret_cast<MpiHandle>(find<char>("ompi_mpi_byte"));
        double_ = reinterpret_cast<MpiHandle>(find<char>("ompi_mpi_double"));
        sum_ = reinterpret_cast<MpiHandle>(find<char>("ompi_mpi_op_sum"));
    } else {
        world_ = kMpichWorld, byte_ = kMpichByte, double_ = kMpichDouble, sum_ = kMpichSum;
    }
    const auto bind = [&](auto& function, const char* name) {
        function = find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    };
    bind(send_, "MPI_Send");
    bind(receive_, "MPI_Recv");
    bind(barrier_, "MPI_Barrier");
    bind(broadcast_, "MPI_Bcast");
    bind(gather_, "MPI_Gather");
    bind(all_reduce_, "MPI_Allreduce");
    bind(all_to_all_, "MPI_Alltoall");
    bind(finalize_, "MPI_Finalize");
    check(find<int(int*, char***)>("MPI_Init")(nullptr, nullptr));
    check(find<int(MpiHandle, int*)>("MPI_Comm_rank")(world_, &rank_));
    check(find<int(MpiHandle, int*)>("MPI_Comm_size")(world_, &size_));
}

MpiLibrary::~MpiLibrary() { finalize_(); }

std::string MpiLibrary::version() const {
    std::string text(kTextBytes, '\0');
    int length = 0;
    check(find<int(char*, int*)>("MPI_Get_library_version")(text.data(), &length));
    return text.substr(0, text.find_first_of("\n,", 0));
}

std::string MpiLibrary::processor() const {
    std::string text(kTextBytes, '\0');
    int length = 0;
    // Nodes of a scheduler may be fewer machines than they say, as in tests.
    if (const char* const node = std::getenv("SLURMD_NODENAME"); node != nullptr) return node;
    check(find<int(char*, int*)>("MPI_Get_processor_name")(text.data(), &length));
    return text.substr(0, static_cast<std::size_t>(length));
}

void MpiLibrary::send(const void* data, int bytes, int to) const {
    check(send_(data, bytes, byte_, to, kTag, world_));
}
void MpiLibrary::receive(void* data, int bytes, int from) const {
    alignas(16) char status[kStatusBytes];
    check(receive_(data, bytes, byte_, from, kTag, world_, status));
}
void MpiLibrary::barrier() const { check(barrier_(world_)); }
void MpiLibrary::broadcast(void* data, int bytes) const { check(broadcast_(data, bytes, byte_, 0, world_)); }
void MpiLibrary::gather(const void* data, void* all, int bytes) const {
    check(gather_(data, bytes, byte_, all, bytes, byte_, 0, world_));
}
void MpiLibrary::all_reduce(const void* data, void* sum, int doubles) const {
    check(all_reduce_(data, sum, doubles, double_, sum_, world_));
}
void MpiLibrary::all_to_all(const void* data, void* got, int bytes) const {
    check(all_to_all_(data, bytes, byte_, got, bytes, byte_, world_));
}

}  // namespace memspy::machine
