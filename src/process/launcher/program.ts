/** The numbers of the system calls that the launcher uses, if they are known for this processor. */
export const SYSTEM_CALLS = (
  {
    x64: {
      ...{ READ: 0, WRITE: 1, CLOSE: 3, SIGPROCMASK: 14, CLONE: 56, EXECVE: 59, CHDIR: 80 },
      ...{ SETSID: 112, EXIT: 231, SIGNALFD: 289, DUP: 292, PIPE: 293 },
    },
    arm64: {
      ...{ READ: 63, WRITE: 64, CLOSE: 57, SIGPROCMASK: 135, CLONE: 220, EXECVE: 221, CHDIR: 49 },
      ...{ SETSID: 157, EXIT: 94, SIGNALFD: 74, DUP: 24, PIPE: 59 },
    },
  } as Partial<Record<string, Readonly<Record<string, number>>>>
)[process.arch];

const CONSTANTS = Object.entries(SYSTEM_CALLS ?? {})
  .map(([name, number]) => `sub ${name}() { ${String(number)} }`)
  .join("\n");

/*
 * The launcher: a small process that starts scripts for raymond. A fork of a small process costs a
 * tenth of a fork of Node. It is written in Perl, because bash cannot pass every environment
 * unchanged, create a session without another program, or distinguish exit code 137 from SIGKILL.
 *
 * Requests: a length of four bytes (big endian), then fields that are separated by NUL.
 *   launch ID CWD COUNT ARGUMENT... NAME=VALUE...
 *   run ID               raymond has opened the outputs
 *   cancel ID            in place of "run"
 *   signal ID NUMBER group|process
 * Replies, one line each:
 *   pid ID PID OUT ERR   the process waits for "run". Until then the descriptors OUT and ERR of the
 *                        launcher are the read ends of its outputs
 *   started ID
 *   error ID ERRNO       it was not started
 *   exit ID CODE SIGNAL  one of them is 0
 * It uses system calls instead of the module POSIX and of file handles: after each fork, the first
 * write to a page of memory is a page fault, and both spread the memory in use over many pages.
 *
 * L1  A process executes nothing before raymond knows its pid and has opened its outputs: if the
 *     launcher ends before that, the process ends by the end of file of the pipe that it waits for.
 * L2  Signals reach only processes that have not been reaped.
 * L3  End of file of the requests means that raymond has ended: the launcher exits. Its processes
 *     continue running. The next raymond finds them by their tokens.
 */
export const LAUNCHER_PROGRAM = String.raw`
use strict;
${CONSTANTS}
# The same on all processors.
sub SIGCHLD() { 17 }
sub EAGAIN() { 11 }
sub WNOHANG() { 1 }
sub CLOSE_ON_EXEC() { 0x80000 }
$0 = "raymond-launcher";

# Exits of processes are read from a descriptor: Perl runs a signal handler between two statements,
# so a signal just before select would not end it.
my $signals = pack("Q<", 1 << (SIGCHLD - 1));
sub BLOCK() { 0 }
sub UNBLOCK() { 1 }
syscall(SIGPROCMASK, BLOCK, $signals, 0, 8) == 0 or die;
my $exit_fd = syscall(SIGNALFD, -1, $signals, 8, CLOSE_ON_EXEC);
die if $exit_fd < 0;
open(my $exits, "<&=", $exit_fd) or die;

# Prepared for new processes, which should change little memory.
open(my $null_device, "<", "/dev/null") or die;
my $null = fileno($null_device);
my $started = "r";

# By id: the pipes of processes that wait for "run".
my %waiting;
my (%id_of, %pid_of);
my $requests = "";

sub reply {
  my $line = "@_\n";
  while ($line ne "") {
    my $written = syswrite(STDOUT, $line);
    substr($line, 0, $written) = "" if defined $written;
  }
}

# All bytes until the end of file.
sub receive {
  my ($from) = @_;
  my ($text, $part, $length) = ("", "\0" x 16);
  $text .= substr($part, 0, $length) while ($length = syscall(READ, $from, $part, 16)) > 0;
  return $text;
}

sub send_text {
  my ($to, $text) = @_;
  # Perl would pass a number as it is.
  $text = "$text";
  syscall(WRITE, $to, $text, length($text));
}

sub close_all {
  syscall(CLOSE, $_) for @_;
}

# Both ends, closed in programs that are executed. Empty if it fails.
sub new_pipe {
  my $ends = pack("i2", 0, 0);
  return syscall(PIPE, $ends, CLOSE_ON_EXEC) == 0 ? unpack("i2", $ends) : ();
}

sub launch {
  my ($id, $call) = @_;
  my @ends;
  for (1 .. 4) {
    my @pipe = new_pipe();
    if (!@pipe) {
      reply("error", $id, $! + 0);
      return close_all(@ends);
    }
    push(@ends, @pipe);
  }
  my ($go_read, $go_write, $problem_read, $problem_write, $out_read, $out_write, $err_read,
    $err_write) = @ends;
  my ($cwd, $count, @variables) = split(/\0/, $call, -1);
  my @command = splice(@variables, 0, $count);
  # The arguments of execve: addresses of strings.
  my ($arguments, $environment) = map { pack("p*", @$_) . pack("J", 0) } \@command, \@variables;
  my ($go, $other_ends) = ("\0", [map { $$_[1] } values %waiting]);
  my $pid = syscall(CLONE, SIGCHLD, 0, 0, 0, 0);
  if ($pid < 0) {
    reply("error", $id, $! + 0);
    return close_all(@ends);
  }
  if ($pid == 0) {
    # A process that waits must notice the end of the launcher.
    syscall(CLOSE, $go_write);
    syscall(CLOSE, $_) for @$other_ends;
    syscall(SETSID);
    syscall(SIGPROCMASK, UNBLOCK, $signals, 0, 8);
    if (syscall(CHDIR, $cwd) == 0) {
      syscall(READ, $go_read, $go, 1) == 1 or syscall(EXIT, 127);
      syscall(WRITE, $problem_write, $started, 1);
      syscall(DUP, $null, 0, 0);
      syscall(DUP, $out_write, 1, 0);
      syscall(DUP, $err_write, 2, 0);
      syscall(EXECVE, $command[0], $arguments, $environment);
    }
    send_text($problem_write, $! + 0);
    syscall(EXIT, 127);
  }
  $id_of{$pid} = $id;
  close_all($problem_write, $out_write, $err_write);
  $waiting{$id} = [$pid, $go_write, $problem_read, $go_read, $out_read, $err_read];
  reply("pid", $id, $pid, $out_read, $err_read);
}

sub run {
  my ($id) = @_;
  my ($pid, $go_write, $problem_read, @rest) = @{delete $waiting{$id} or return};
  # While its read end is open here, writing to a pipe of a dead process is no error.
  send_text($go_write, "g");
  close_all($go_write, @rest);
  # "r" alone: the process executes the command, or was killed when it may have. Nothing: it was
  # killed before that.
  my $problem = receive($problem_read);
  close_all($problem_read);
  if ($problem eq "r") {
    $pid_of{$id} = $pid;
    return reply("started", $id);
  }
  delete $id_of{$pid};
  reply("error", $id, $problem =~ s/^r//r || EAGAIN);
}

sub cancel {
  my ($id) = @_;
  my ($pid, @ends) = @{delete $waiting{$id} or return};
  delete $id_of{$pid};
  close_all(@ends);
}

sub deliver {
  my ($id, $fields) = @_;
  my ($signal, $to) = split(/\0/, $fields);
  my $pid = $pid_of{$id} or return;
  kill($signal, $to eq "group" ? -$pid : $pid);
}

sub reap {
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
    my ($status, $id) = ($?, delete $id_of{$pid});
    next if !defined $id;
    if (my $process = delete $waiting{$id}) {
      my (undef, @ends) = @$process;
      # Without a message it was killed.
      reply("error", $id, receive($ends[1]) || EAGAIN);
      close_all(@ends);
    } else {
      delete $pid_of{$id};
      reply("exit", $id, $status >> 8, $status & 127);
    }
  }
}

my %handlers = (launch => \&launch, run => \&run, cancel => \&cancel, signal => \&deliver);

for (;;) {
  my $ready = "";
  vec($ready, 0, 1) = 1;
  vec($ready, fileno($exits), 1) = 1;
  next if select($ready, undef, undef, undef) < 0;
  if (vec($ready, fileno($exits), 1)) {
    sysread($exits, my $discarded, 128);
    reap();
  }
  next if !vec($ready, 0, 1);
  my $read = sysread(STDIN, $requests, 65536, length($requests));
  exit(0) if defined $read && $read == 0;
  while (length($requests) >= 4) {
    my $end = 4 + unpack("N", $requests);
    last if length($requests) < $end;
    my ($kind, $id, $fields) = split(/\0/, substr($requests, 4, $end - 4), 3);
    substr($requests, 0, $end) = "";
    $handlers{$kind}->($id, $fields);
  }
}
`;
