// A farm whose workers are threads: rank 0 gives tasks, and in each other rank two threads of OpenMP ask for them
// themselves, with MPI_THREAD_MULTIPLE. Correct: nothing may be reported, not the threads that OpenMP keeps either.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { kTasks = 30, kThreads = 2, kSteps = 500 };

typedef struct {
    int number;  // four bytes of padding follow
    double from, to;
} Task;

static double integral(double from, double to) {
    double sum = 0, step = (to - from) / kSteps;
    for (int i = 0; i < kSteps; ++i) {
        const double x = from + (i + 0.5) * step;
        sum += 4 / (1 + x * x) * step;
    }
    return sum;
}

static MPI_Datatype task_type(void) {
    const int lengths[2] = {1, 2};
    const MPI_Aint offsets[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, offsets, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static double give_tasks(MPI_Datatype type, int workers) {
    double sum = 0;
    for (int given = 0, stopped = 0; stopped < workers;) {
        double result;
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += result;
        Task task;
        task.number = given < kTasks ? given : -1;
        task.from = (double)given / kTasks;
        task.to = (double)(given + 1) / kTasks;
        given < kTasks ? ++given : ++stopped;
        MPI_Send(&task, 1, type, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD);
    }
    return sum;
}

// The task's buffer is given to the library before the result of the one before goes away.
static void work(MPI_Datatype type, int tag) {
    double result = 0;
    Task task;
    for (;;) {
        MPI_Request request;
        MPI_Irecv(&task, 1, type, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&result, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (task.number < 0) return;
        result = integral(task.from, task.to);
    }
}

int main(int count, char** words) {
    int provided, rank, size;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype type = task_type();
    if (rank == 0) {
        printf("%.4f\n", give_tasks(type, (size - 1) * kThreads));
    } else {
#pragma omp parallel num_threads(kThreads)
        work(type, omp_get_thread_num());
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
