/** In a bash script of a step: the process id of raymond. The parent process is the launcher. */
export const RAYMOND_PID = "$(ps -o ppid= -p $PPID)";
