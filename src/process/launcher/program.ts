/** The number of the system call signalfd4, if it is known for this processor. */
export const SIGNALFD = ({ x64: 289, arm64: 74 } as Partial<Record<string, number>>)[process.arch];

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
 * L1  A process executes nothing before raymond knows its pid and has opened its outputs: if the
 *     launcher ends before that, the process ends by the end of file of the pipe that it waits for.
 * L2  Signals reach only processes that have not been reaped.
 * L3  End of file of the requests means that raymond has ended: the launcher exits. Its processes
 *     continue running. The next raymond finds them by their tokens.
 */
export const LAUNCHER_PROGRAM = String.raw`
use strict;
use POSIX ();
$0 = "raymond-launcher";

# Exits of processes are read from a descriptor: Perl runs a signal handler between two statements,
# so a signal just before select would not end it.
my $exit_signal = POSIX::SigSet->new(POSIX::SIGCHLD());
POSIX::sigprocmask(POSIX::SIG_BLOCK(), $exit_signal) or die;
my $signals = pack("Q<", 1 << (POSIX::SIGCHLD() - 1));
my $exit_fd = syscall(${String(SIGNALFD)}, -1, $signals, 8, 0x80000);
die if $exit_fd < 0;
open(my $exits, "<&=", $exit_fd) or die;

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
  my $text = "";
  1 while sysread($from, $text, 16, length($text));
  return $text;
}

sub launch {
  my ($id, $cwd, $count, @rest) = @_;
  my @command = splice(@rest, 0, $count);
  pipe(my $go_read, my $go_write) && pipe(my $problem_read, my $problem_write)
    && pipe(my $out_read, my $out_write) && pipe(my $err_read, my $err_write)
    or return reply("error", $id, $! + 0);
  my $pid = fork();
  return reply("error", $id, $! + 0) if !defined $pid;
  if ($pid == 0) {
    my $fail = sub { syswrite($problem_write, $! + 0); POSIX::_exit(127) };
    close($go_write);
    %waiting = ();
    POSIX::setsid();
    POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $exit_signal);
    chdir($cwd) or $fail->();
    my $null = POSIX::open("/dev/null", POSIX::O_RDONLY()) // $fail->();
    receive($go_read) or POSIX::_exit(127);
    syswrite($problem_write, "r");
    POSIX::dup2($null, 0);
    POSIX::dup2(fileno($out_write), 1);
    POSIX::dup2(fileno($err_write), 2);
    POSIX::close($null);
    %ENV = map { split(/=/, $_, 2) } @rest;
    exec { $command[0] } @command or $fail->();
  }
  $id_of{$pid} = $id;
  # With its read end here, writing to a pipe of a dead process is no error.
  $waiting{$id} = [$pid, $go_write, $problem_read, $go_read, $out_read, $err_read];
  reply("pid", $id, $pid, fileno($out_read), fileno($err_read));
}

sub run {
  my ($id) = @_;
  my ($pid, $go_write, $problem_read) = @{delete $waiting{$id} or return};
  syswrite($go_write, "g");
  close($go_write);
  # "r" alone: the process executes the command, or was killed when it may have. Nothing: it was
  # killed before that.
  my $problem = receive($problem_read);
  if ($problem eq "r") {
    $pid_of{$id} = $pid;
    return reply("started", $id);
  }
  delete $id_of{$pid};
  reply("error", $id, $problem =~ s/^r//r || POSIX::EAGAIN());
}

sub cancel {
  my ($id) = @_;
  my ($pid) = @{delete $waiting{$id} or return};
  delete $id_of{$pid};
}

sub deliver {
  my ($id, $signal, $to) = @_;
  my $pid = $pid_of{$id} or return;
  kill($signal, $to eq "group" ? -$pid : $pid);
}

sub reap {
  while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
    my ($status, $id) = ($?, delete $id_of{$pid});
    next if !defined $id;
    if (my $process = delete $waiting{$id}) {
      # Without a message it was killed.
      reply("error", $id, receive($$process[2]) || POSIX::EAGAIN());
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
    my ($kind, @fields) = split(/\0/, substr($requests, 4, $end - 4), -1);
    substr($requests, 0, $end) = "";
    $handlers{$kind}->(@fields);
  }
}
`;
