"""spbatch on a real Slurm: slurm_check.py SPBATCH FOLDER

Starts a cluster of this one machine (munged, slurmctld and slurmd of the distribution, with a key, ports and state of
their own) and stops it again. 40 matrices go over a job array of 4 tasks, of which one is preempted, one requeued and
one killed on the way: each has to be in the merged results, once. Skips where there is no Slurm, or no root to run it.
"""

import collections
import contextlib
import csv
import ctypes
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LONGEST = 240  # seconds; the caller's limit is longer, so that it is always this test that ends its daemons
TASKS = 4
MATRICES = [f"gen:laplace2d?n={n}" for n in range(50, 70)] + [f"gen:uniform?n={n}" for n in range(1000, 1400, 20)]
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "scancel", "squeue", "sinfo"]

# 4 processors on any machine, so that the 4 tasks run at the same time. A requeued task waits for as long as a
# credential lives before it starts again.
CONFIGURATION = """
ClusterName=spbatch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=2
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=batch Nodes={host} Default=YES MaxTime=10 PriorityTier=1
PartitionName=urgent Nodes={host} MaxTime=10 PriorityTier=2 PreemptMode=OFF
"""


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def expect(holds, message):
    if not holds:
        raise AssertionError(message)


# ---- the cluster ---------------------------------------------------------------------------------------------------

def parents():
    """The parent and the state of every process."""
    found = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            text = pathlib.Path(stat).read_text()
            state, parent = text[text.rindex(")") + 1:].split()[:2]
            found[int(stat.split("/")[2])] = (int(parent), state)
    return found


def descendants():
    """Everything this process started, and what they did, that has not been waited for."""
    family, all_of_them = [os.getpid()], parents()
    for one in family:
        family += [child for child, (parent, _) in all_of_them.items() if parent == one]
    return {child: all_of_them[child] for child in family[1:]}


def process_control(what, value):
    expect(ctypes.CDLL(None).prctl(what, value, 0, 0, 0) == 0, "prctl failed")


def adopt_orphans():
    pr_set_child_subreaper = 36
    process_control(pr_set_child_subreaper, 1)


def end_with_parent(how):
    pr_set_pdeathsig = 1
    process_control(pr_set_pdeathsig, how)


def end_descendants():
    while left := descendants():
        for child, (parent, state) in left.items():
            with contextlib.suppress(ProcessLookupError):
                if state != "Z":
                    os.kill(child, signal.SIGKILL)
                elif parent == os.getpid():
                    os.waitpid(child, 0)
        time.sleep(0.02)


def go_on_in_a_child():
    """Either of two processes that is killed is survived by one that cleans up: a slurmstepd would wait for ever."""
    adopt_orphans()
    child = os.fork()
    if child == 0:
        end_with_parent(signal.SIGTERM)
        adopt_orphans()
        return
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda number, _: os.kill(child, number))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    end_descendants()
    sys.exit(status if status >= 0 else 1)


class Cluster:
    """Slurm on this machine."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spbatch_slurm_"))  # short: a socket's path is limited
        self.daemons = {}
        # Nothing of a Slurm that may run this test, or run beside it.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE"))}
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.environment["SPARSMITH_CACHE"] = str(self.folder / "cache")
        self.environment.pop("OMP_NUM_THREADS", None)  # as many as Slurm gives processors

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.show_logs()
            self.stop()
            raise
        return self

    def __exit__(self, kind, problem, trace):
        if kind is not None:
            self.show_logs()
        self.stop()

    def show_logs(self):
        for log in sorted(self.folder.glob("*.log")):
            print(f"---- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-25:]))

    def start(self):
        (self.folder / "state").mkdir()
        (self.folder / "spool").mkdir()
        with contextlib.ExitStack() as held:
            ports = [held.enter_context(socket.socket()) for _ in range(2)]
            for port in ports:
                port.bind(("127.0.0.1", 0))
            control_port, node_port = (port.getsockname()[1] for port in ports)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(folder=self.folder, host=socket.gethostname().split(".")[0],
                                 control_port=control_port, node_port=node_port))
        if self.version() >= (24, 5):  # which older ones do not know
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munge.pid", f"--seed-file={self.folder}/munge.seed",
                    f"--log-file={self.folder}/munged.log")
        wait_until(lambda: (self.folder / "munge.socket").exists(), 10, "munged does not run", self)
        self.daemon("slurmctld", "-c", "-D")
        self.daemon("slurmd", "-D")
        try:
            wait_until(lambda: self.try_out("sinfo", "-h", "-o", "%T") == "idle", 30, "the node is not ready", self)
        except AssertionError:
            log = (self.folder / "slurmd.log").read_text(errors="replace")
            if self.daemons["slurmd"].poll() is not None and re.search("error:.*cgroup", log):
                self.stop()
                skip(f"slurmd cannot have the control groups it wants here: {log.splitlines()[-1]}")
            raise

    def version(self):
        told = self.out("slurmd", "-V")  # slurm-wlm 22.05.8
        return tuple(int(number) for number in re.search(r"(\d+)\.(\d+)", told).groups())

    def daemon(self, *words):
        with open(self.folder / f"{words[0]}.first.log", "w") as printed:  # before it has read where its log is
            self.daemons[words[0]] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                                      stdout=printed, stderr=printed,
                                                      preexec_fn=lambda: end_with_parent(signal.SIGKILL))

    def look_after(self):
        """Notices a daemon that ended, and buries the orphans that came to this process."""
        for name, daemon in self.daemons.items():
            expect(daemon.poll() is None, f"{name} ended with {daemon.returncode}")
        mine = {daemon.pid for daemon in self.daemons.values()}
        for child, (parent, state) in parents().items():
            if parent == os.getpid() and state == "Z" and child not in mine:
                os.waitpid(child, 0)

    def stop(self):
        for name in reversed(self.daemons):
            self.daemons[name].terminate()
        deadline = time.monotonic() + 3
        for daemon in self.daemons.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(max(0.1, deadline - time.monotonic()))
        self.daemons = {}
        end_descendants()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, **options):
        return subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST, **options)

    def try_out(self, *words):
        return self.run(*words).stdout.strip()

    def out(self, *words, **options):
        done = self.run(*words, **options)
        expect(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def jobs(self, job):
        """What Slurm knows of the tasks of a job, by their id in the array (None: it is none)."""
        found = {}
        for line in self.out("scontrol", "--oneliner", "show", "job", job).splitlines():
            fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
            task = fields.get("ArrayTaskId")
            if task is None or task.isdigit():  # several that wait are one line, `2-4`
                found[task and int(task)] = fields
        return found

    def wait_for(self, job, tasks=(None,), states=("COMPLETED",), seconds=90):
        def ended():
            now = {task: fields["JobState"] for task, fields in self.jobs(job).items()}
            return set(tasks) <= set(now) and all(state not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING",
                                                                "REQUEUED", "PREEMPTED") for state in now.values())
        wait_until(ended, seconds, f"job {job} does not end", self)
        for task, fields in self.jobs(job).items():
            expect(fields["JobState"] in states, f"task {task} of job {job} is {fields['JobState']}, {fields['Reason']}")


def wait_until(holds, seconds, complaint, cluster):
    deadline = time.monotonic() + seconds
    while not holds():
        cluster.look_after()
        expect(time.monotonic() < deadline, f"{complaint} within {seconds} s")
        time.sleep(0.05)


# ---- what is checked -----------------------------------------------------------------------------------------------

def result_lines(folder):
    """The lines of every file that has some."""
    return {file.name: lines for file in folder.glob("results*.jsonl") if (lines := file.read_text().splitlines())}


def check_results(folder, names, files):
    """That each matrix is there, with a result, once."""
    lines = result_lines(folder)
    expect(set(lines) == set(files), f"the files of results are {sorted(lines)}")
    results = [json.loads(line) for one in lines.values() for line in one]
    counted = collections.Counter(result["name"] for result in results)
    expect(set(counted) == set(names), f"missing: {set(names) - set(counted)}, extra: {set(counted) - set(names)}")
    expect(max(counted.values()) == 1, f"more than once: {counted.most_common(3)}")
    expect(len({result["key"] for result in results}) == len(names), "two have one key")
    for result in results:
        expect(result["result"] == "ok", f"{result['name']}: {result['failure']}")


def submit(cluster, spbatch, work, *words, **options):
    """Submits, checks what the user is told, and gives the job's id."""
    told = cluster.out(spbatch, *words, cwd=work, **options)
    job = re.search(r"\bjob (\d+)\b", told)
    expect(job, f"no job id in: {told}")
    expect(f"squeue -j {job[1]}" in told and f"slurm-{job[1]}_" in told and "spbatch --report --out " in told,
           f"not how to watch it: {told}")
    return job[1]


def files_of(count):
    return [f"results.{part}-of-{count}.jsonl" for part in range(1, count + 1)]


def check_array(cluster, spbatch, work):
    (work / "matrices.txt").write_text("".join(name + "\n" for name in MATRICES))
    folder = work / "it's a \"folder\" at 50%j #1"
    command = ["--list", "matrices.txt", "--out", folder.name, "--slurm", "--array", TASKS, "--", "--cpus-per-task=1"]
    job = submit(cluster, spbatch, work, *command)

    # In the middle of the work: each task has a result, none has all of its own.
    def all_have_begun():
        return set(result_lines(folder)) == set(files_of(TASKS))
    wait_until(all_have_begun, 60, "the tasks do not all write results", cluster)

    def restarts(task):
        return int(cluster.jobs(job)[task]["Restarts"])

    def running():
        return [task for task, fields in sorted(cluster.jobs(job).items()) if fields["JobState"] == "RUNNING"]
    expect(running() == list(range(1, TASKS + 1)), f"only {running()} run: too small a matrix, or too fast a machine")

    # One makes room for something more urgent.
    urgent = cluster.out("sbatch", "--parsable", "--partition=urgent", "--output=/dev/null", "--wrap=true")
    wait_until(lambda: any(restarts(task) for task in range(1, TASKS + 1)), 30, "no task was preempted", cluster)
    preempted = [task for task in range(1, TASKS + 1) if restarts(task)]
    expect(len(preempted) == 1, f"{preempted} were preempted")
    # One is requeued by hand. What it had written stays.
    requeued, killed = [task for task in running() if task not in preempted][:2]
    before = result_lines(folder)
    cluster.out("scontrol", "requeue", f"{job}_{requeued}")
    # One is killed, which Slurm takes for a failure, and then requeued too.
    cluster.out("scancel", "--batch", "--signal=KILL", f"{job}_{killed}")
    wait_until(lambda: cluster.jobs(job)[killed]["JobState"] == "FAILED", 30, "a killed task has not failed", cluster)
    cluster.out("scontrol", "requeue", f"{job}_{killed}")

    cluster.wait_for(job, range(1, TASKS + 1))
    cluster.wait_for(urgent)
    for task in (*preempted, requeued, killed):
        expect(restarts(task) == 1, f"task {task} was started again {restarts(task)} times")
    check_results(folder, MATRICES, files_of(TASKS))
    after = result_lines(folder)
    for file, lines in before.items():
        expect(after[file][:len(lines)] == lines, f"{file}: what was there has changed")
    unfinished = len(MATRICES) - sum(len(lines) for lines in before.values())
    expect(len(list(folder.glob(f"slurm-{job}_*.log"))) == TASKS, "a task has no log")

    told = cluster.out(spbatch, "--report", "--out", folder.name, cwd=work)
    with open(folder / "results.csv", newline="") as file:
        rows = list(csv.reader(file))
    expect(len(rows) == 1 + len(MATRICES), f"results.csv has {len(rows)} lines: {told}")
    for name in MATRICES:
        expect(sum(name in row for row in rows) == 1, f"{name} is not in one line of results.csv")

    # The same again has nothing left to do.
    again = submit(cluster, spbatch, work, *command)
    cluster.wait_for(again, range(1, TASKS + 1))
    expect(result_lines(folder) == after, "what was done was done again")
    print(f"{len(MATRICES)} matrices over {TASKS} tasks; with {unfinished} to do, task {preempted[0]} was preempted, "
          f"{requeued} requeued, {killed} killed")
    return folder


def check_steps(cluster, spbatch, work):
    """Within a batch script: alone it takes everything, however many tasks there are; under srun each has its part."""
    names = MATRICES[:4]
    (work / "few.txt").write_text("".join(name + "\n" for name in names))
    script = work / "steps.sh"
    script.write_text("#!/bin/sh\nset -e\nexport OMP_NUM_THREADS=1\n" + "".join(
        f"{launcher} '{spbatch}' --list few.txt --out {folder}\n" for launcher, folder in (("", "alone"),
                                                                                         ("srun", "steps"))))
    job = cluster.out("sbatch", "--parsable", "--ntasks=2", "--output=steps.log", script, cwd=work)
    cluster.wait_for(job)
    check_results(work / "alone", names, ["results.jsonl"])
    check_results(work / "steps", names, files_of(2))


def check_failures(cluster, spbatch, work, folder):
    refused = cluster.run(spbatch, MATRICES[0], "--out", "refused", "--slurm", "--", "--partition=nowhere", cwd=work)
    expect(refused.returncode != 0, "an unknown partition was taken")
    expect("invalid partition specified: nowhere" in refused.stderr and len(refused.stderr.splitlines()) == 1,
           f"not what sbatch said in one line: {refused.stderr}")

    (work / "broken.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n")
    failed = submit(cluster, spbatch, work, "broken.mtx", "--out", "failed", "--slurm", "--array", "1")
    # By hand, with tasks that cannot know their part.
    gaps = cluster.out("sbatch", "--parsable", "--array=1,3", folder / "slurm.sh", cwd=work)
    cluster.wait_for(failed, (1,), ("FAILED",))
    cluster.wait_for(gaps, (1, 3), ("FAILED",))
    log = (work / "failed" / f"slurm-{failed}_1.log").read_text()
    expect("broken.mtx" in log, f"the log does not name what failed: {log}")
    for task in (1, 3):
        log = (folder / f"slurm-{gaps}_{task}.log").read_text()
        expect("have gaps" in log, f"the log does not say what is wrong: {log}")


def main():
    spbatch, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        skip(f"no Slurm here: {', '.join(missing)} not found (Debian: slurm-wlm munge)")
    if os.geteuid() != 0:
        skip("slurmd starts processes for other users, and needs root for that")
    go_on_in_a_child()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    def out_of_time(*_):
        raise AssertionError(f"not done within {LONGEST} s, or told to end")
    for one in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(one, out_of_time)
    signal.alarm(LONGEST)

    start = time.monotonic()
    with Cluster() as cluster:
        print(f"Slurm runs after {time.monotonic() - start:.1f} s")
        try:
            folder = check_array(cluster, spbatch, work)
            check_steps(cluster, spbatch, work)
            check_failures(cluster, spbatch, work, folder)
        except BaseException:
            for log in sorted(work.rglob("*.log")):
                print(f"---- {log.relative_to(work)}\n" + log.read_text(errors="replace")[-1500:])
            print(cluster.try_out("squeue"))
            raise
    signal.alarm(0)
    print(f"slurm: all as it should be, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
