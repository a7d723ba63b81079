import { SYSTEM_CALLS } from "./system-calls.ts";

const CONSTANTS = Object.entries(SYSTEM_CALLS ?? {})
  .map(([name, number]) => `sub ${name}() { ${String(number)} }`)
  .join("\n");

/*
 * The launcher: a small process that starts scripts for raymond. A fork of a small process costs a
 * tenth of a fork of Node. It is written in Perl, because bash cannot pass every environment
 * unchanged, create a session without another program, or distinguish exit code 137 from SIGKILL.
 *
 * Each message is a length of four bytes (big endian) and its content. Requests are fields that are
 * separated by NUL. ID is a number that the launcher assigns, because a pid can be reused while
 * descendants of its process still write to its outputs.
 *   fork                 creates a process that waits for its command
 *   run ID CWD COUNT ARGUMENT... NAME=VALUE...
 *   signal ID NUMBER group|process
 * Replies are a line, and for "out" and "err" the bytes that a process has written there.
 *   forked ID PID
 *   unforked ERRNO
 *   started ID
 *   error ID ERRNO       it has executed nothing
 *   out ID, err ID       without bytes: the end of file
 *   exit ID CODE SIGNAL ALONE
 *                        CODE or SIGNAL is 0; ALONE: 1 if nothing of its process group was left
 * raymond has one process created in advance, so that a script does not wait for a fork.
 * It uses system calls instead of the module POSIX and of file handles: after each fork, the first
 * write to a page of memory is a page fault, and both spread the memory in use over many pages.
 *
 * L1  A process executes nothing before raymond knows its pid: if the launcher ends before that, the
 *     process ends by the end of file of the pipe that it waits for.
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
sub MONOTONIC() { 1 }
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

# By id: the pid and the pipes of processes that have executed nothing, and the pids of the others. By
# pid: the id. By descriptor: the processes that report their start, and what is read from the other
# descriptors, such as "out 1".
my (%waiting, %running, %id_of, %starting, %output);
my $last_id = 0;

# Most scripts end soon. The outputs of others are read after this time, in seconds, so that raymond
# wakes once for all that a short script has to say. By id: when, and the descriptors.
sub READ_AFTER() { 0.005 }
my %unread;
my ($requests, $replies) = ("", "");
my $watched = "";
vec($watched, $_, 1) = 1 for 0, fileno($exits);

sub reply {
  my $line = "@_\n";
  $replies .= pack("N", length($line)) . $line;
}

sub reply_with {
  my ($line, $bytes) = @_;
  $replies .= pack("N", length($line) + 1 + length($bytes)) . "$line\n$bytes";
}

sub flush_replies {
  while ($replies ne "") {
    my $written = syswrite(STDOUT, $replies);
    exit(0) if !defined $written;
    substr($replies, 0, $written) = "";
  }
}

# A system call receives numbers as they are, and the addresses of strings: also of a string that is a
# number, such as the key of a hash.
sub send_text {
  my ($to, $text) = @_;
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
  my @kept = ($problem_read, $out_read, $err_read, $go_write);
  my @passed = ($go_read, $problem_write, $out_write, $err_write);
  my $pid = syscall(CLONE, SIGCHLD, 0, 0, 0, 0);
  if ($pid < 0) {
    reply("unforked", $! + 0);
    return close_all(@ends);
  }
  if ($pid == 0) {
    # Processes that wait must notice the end of the launcher.
    close_all(@kept, map { @$_[1 .. $#$_] } values %waiting);
    syscall(SETSID);
    syscall(SIGPROCMASK, UNBLOCK, $signals, 0, 8);
    execute(@passed);
    syscall(EXIT, 127);
  }
  close_all(@passed);
  my $id = ++$last_id;
  $id_of{$pid} = $id;
  $waiting{$id} = [$pid, @kept];
  reply("forked", $id, $pid);
}

sub run {
  my ($id, $command) = @_;
  my $process = $waiting{$id} or return;
  my $problem_read = $$process[1];
  my $go_write = pop(@$process);
  send_text($go_write, pack("N", length($command)) . $command);
  close_all($go_write);
  $starting{$problem_read} = [$id, ""];
  vec($watched, $problem_read, 1) = 1;
}

# Reads what a process reports about its start. "r" alone: it executes the command, or was killed when
# it may have. Nothing: it was killed before that.
sub conclude {
  my $problem_read = $_[0] + 0;
  my ($id, $problem) = @{$starting{$problem_read}};
  my $length = syscall(READ, $problem_read, $part, PART_BYTES);
  if ($length > 0) {
    $starting{$problem_read}[1] .= substr($part, 0, $length);
    return;
  }
  delete $starting{$problem_read};
  vec($watched, $problem_read, 1) = 0;
  my ($pid, undef, $out_read, $err_read) = @{delete $waiting{$id}};
  close_all($problem_read);
  if ($problem ne "r") {
    close_all($out_read, $err_read);
    return reply("error", $id, $problem =~ s/^r//r || EAGAIN);
  }
  $running{$id} = $pid;
  @output{$out_read, $err_read} = ("out $id", "err $id");
  $unread{$id} = [now() + READ_AFTER, $out_read, $err_read];
  reply("started", $id);
}

sub now {
  my $time = pack("q2", 0, 0);
  syscall(CLOCK_GETTIME, MONOTONIC, $time);
  my ($seconds, $nanoseconds) = unpack("q2", $time);
  return $seconds + $nanoseconds / 1e9;
}

sub read_outputs {
  my (undef, @outputs) = @{delete $unread{$_[0]} or return};
  vec($watched, $_, 1) = 1 for @outputs;
}

sub forward {
  my $from = $_[0] + 0;
  my $length = syscall(READ, $from, $part, PART_BYTES);
  reply_with($output{$from}, $length > 0 ? substr($part, 0, $length) : "");
  return if $length > 0;
  delete $output{$from};
  vec($watched, $from, 1) = 0;
  close_all($from);
}

sub deliver {
  my ($id, $fields) = @_;
  my ($signal, $to) = split(/\0/, $fields);
  my $pid = $running{$id} or return;
  kill($signal, $to eq "group" ? -$pid : $pid);
}

sub reap {
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
    my $status = $?;
    my $id = delete $id_of{$pid};
    if (my $process = $waiting{$id}) {
      my $problem_read = $$process[1];
      conclude($problem_read) while $starting{$problem_read};
    }
    if (delete $running{$id}) {
      read_outputs($id);
      my $alone = !kill(0, -$pid) && $! == ESRCH ? 1 : 0;
      reply("exit", $id, $status >> 8, $status & 127, $alone);
    } elsif (my $process = delete $waiting{$id}) {
      reply("error", $id, EAGAIN);
      close_all(@$process[1 .. $#$process]);
    }
  }
}

my %handlers = (fork => \&create, run => \&run, signal => \&deliver);

for (;;) {
  # Replies that belong together, such as output and exit, arrive together: raymond wakes once.
  my $ready = $watched;
  my $patience = $replies ne "" ? 0 : %unread ? READ_AFTER : undef;
  my $count = select($ready, undef, undef, $patience);
  if (%unread) {
    my $now = now();
    $unread{$_}[0] <= $now && read_outputs($_) for keys %unread;
  }
  flush_replies() if $count <= 0 || length($replies) > PART_BYTES;
  next if $count <= 0;
  conclude($_) for grep { vec($ready, $_, 1) } keys %starting;
  # Of what is on both outputs of a process at the same time, "out" is first.
  forward($_) for sort { $output{$b} cmp $output{$a} } grep { vec($ready, $_, 1) } keys %output;
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
