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
 *   fork                 creates a process that waits for its command
 *   run PID CWD COUNT ARGUMENT... NAME=VALUE...
 *   cancel PID           in place of "run"
 *   signal PID NUMBER group|process
 * Replies, one line each:
 *   forked PID OUT ERR   until "run", the descriptors OUT and ERR of the launcher are the read ends
 *                        of its outputs
 *   unforked ERRNO
 *   started PID
 *   error PID ERRNO      it has executed nothing
 *   exit PID CODE SIGNAL ALONE
 *                        CODE or SIGNAL is 0; ALONE: 1 if nothing of its process group was left
 * raymond has one process created in advance, so that a script does not wait for a fork.
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
sub SIGPIPE() { 13 }
sub ESRCH() { 3 }
sub EAGAIN() { 11 }
sub WNOHANG() { 1 }
sub CLOSE_ON_EXEC() { 0x80000 }
$0 = "raymond-launcher";

# Exits of processes are read from a descriptor: Perl runs a signal handler between two statements,
# so a signal just before select would not end it. Writing to the pipe of a dead process is an error.
my ($exits_only, $signals) = map { pack("Q<", $_) } 1 << (SIGCHLD - 1),
  1 << (SIGCHLD - 1) | 1 << (SIGPIPE - 1);
sub BLOCK() { 0 }
sub UNBLOCK() { 1 }
syscall(SIGPROCMASK, BLOCK, $signals, 0, 8) == 0 or die;
my $exit_fd = syscall(SIGNALFD, -1, $exits_only, 8, CLOSE_ON_EXEC);
die if $exit_fd < 0;
open(my $exits, "<&=", $exit_fd) or die;

# Prepared for new processes, which should change little memory.
open(my $null_device, "<", "/dev/null") or die;
my $null = fileno($null_device);
my $started = "r";
sub PART_BYTES() { 65536 }
my $part = "\0" x PART_BYTES;

# By pid: the pipes of processes that wait for "run". And the processes that have executed something.
my (%waiting, %running);
my $requests = "";

sub reply {
  my $line = "@_\n";
  while ($line ne "") {
    my $written = syswrite(STDOUT, $line);
    exit(0) if !defined $written;
    substr($line, 0, $written) = "";
  }
}

# All bytes until the end of file.
sub receive {
  my ($from) = @_;
  my ($text, $length) = "";
  $text .= substr($part, 0, $length) while ($length = syscall(READ, $from, $part, PART_BYTES)) > 0;
  return $text;
}

sub send_text {
  my ($to, $text) = @_;
  # Perl would pass a number as it is.
  $text = "$text";
  while ($text ne "") {
    my $written = syscall(WRITE, $to, $text, length($text));
    return if $written < 0;
    substr($text, 0, $written) = "";
  }
}

sub close_all {
  syscall(CLOSE, $_) for @_;
}

# Both ends, closed in programs that are executed. Empty if it fails.
sub new_pipe {
  my $ends = pack("i2", 0, 0);
  return syscall(PIPE, $ends, CLOSE_ON_EXEC) == 0 ? unpack("i2", $ends) : ();
}

# In a new process: waits for a command and executes it. Without a complete command, the launcher has
# ended.
sub execute {
  my ($go_read, $problem_write, $out_write, $err_write) = @_;
  my $call = "";
  while (length($call) < 4 || length($call) < 4 + unpack("N", $call)) {
    my $length = syscall(READ, $go_read, $part, PART_BYTES);
    syscall(EXIT, 127) if $length <= 0;
    $call .= substr($part, 0, $length);
  }
  my ($cwd, $count, @variables) = split(/\0/, substr($call, 4), -1);
  my @command = splice(@variables, 0, $count);
  if (syscall(CHDIR, $cwd) == 0) {
    # The arguments of execve: addresses of strings.
    my ($arguments, $environment) = map { pack("p*", @$_) . pack("J", 0) } \@command, \@variables;
    syscall(WRITE, $problem_write, $started, 1);
    syscall(DUP, $null, 0, 0);
    syscall(DUP, $out_write, 1, 0);
    syscall(DUP, $err_write, 2, 0);
    syscall(EXECVE, $command[0], $arguments, $environment);
  }
  send_text($problem_write, $! + 0);
}

sub create {
  my @ends;
  for (1 .. 4) {
    my @pipe = new_pipe();
    if (!@pipe) {
      reply("unforked", $! + 0);
      return close_all(@ends);
    }
    push(@ends, @pipe);
  }
  my ($go_read, $go_write, $problem_read, $problem_write, $out_read, $out_write, $err_read,
    $err_write) = @ends;
  my @kept = ($go_write, $problem_read, $out_read, $err_read);
  my @passed = ($go_read, $problem_write, $out_write, $err_write);
  my $pid = syscall(CLONE, SIGCHLD, 0, 0, 0, 0);
  if ($pid < 0) {
    reply("unforked", $! + 0);
    return close_all(@ends);
  }
  if ($pid == 0) {
    # Processes that wait must notice the end of the launcher, and of those that read their outputs.
    close_all(@kept, map { @$_ } values %waiting);
    syscall(SETSID);
    syscall(SIGPROCMASK, UNBLOCK, $signals, 0, 8);
    execute(@passed);
    syscall(EXIT, 127);
  }
  close_all(@passed);
  $waiting{$pid} = \@kept;
  reply("forked", $pid, $out_read, $err_read);
}

sub run {
  my ($pid, $command) = @_;
  my ($go_write, $problem_read, @outputs) = @{delete $waiting{$pid} or return};
  send_text($go_write, pack("N", length($command)) . $command);
  close_all($go_write, @outputs);
  # "r" alone: the process executes the command, or was killed when it may have. Nothing: it was
  # killed before that.
  my $problem = receive($problem_read);
  close_all($problem_read);
  if ($problem eq "r") {
    $running{$pid} = 1;
    return reply("started", $pid);
  }
  reply("error", $pid, $problem =~ s/^r//r || EAGAIN);
}

sub cancel {
  my ($pid) = @_;
  close_all(@{delete $waiting{$pid} or return});
}

sub deliver {
  my ($pid, $fields) = @_;
  my ($signal, $to) = split(/\0/, $fields);
  kill($signal, $to eq "group" ? -$pid : $pid) if $running{$pid};
}

sub reap {
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
    my $status = $?;
    if (delete $running{$pid}) {
      my $alone = !kill(0, -$pid) && $! == ESRCH ? 1 : 0;
      reply("exit", $pid, $status >> 8, $status & 127, $alone);
    } elsif (my $ends = delete $waiting{$pid}) {
      reply("error", $pid, EAGAIN);
      close_all(@$ends);
    }
  }
}

my %handlers = (fork => \&create, run => \&run, cancel => \&cancel, signal => \&deliver);

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
    my ($kind, $pid, $fields) = split(/\0/, substr($requests, 4, $end - 4), 3);
    substr($requests, 0, $end) = "";
    $handlers{$kind}->($pid, $fields);
  }
}
`;
