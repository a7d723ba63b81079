/**
 * Whether a name, in any case, is an environment variable that changes what the shell, the loader or
 * a common program executes (docs/protocol.md, "Reserved attribute names"). The list is the same on
 * every platform, so that workflows are portable.
 */
export function isReservedName(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    RESERVED_NAMES.includes(upper) ||
    RESERVED_PREFIXES.some((prefix) => upper.startsWith(prefix)) ||
    RESERVED_SUFFIXES.some((suffix) => upper.endsWith(suffix))
  );
}

export const RESERVED_NAMES: readonly string[] = [
  // Unix shells, and variables of all programs.
  ...["PATH", "HOME", "SHELL", "SHELLOPTS", "BASHOPTS", "IFS", "ENV", "BASH_ENV"],
  ...["PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", "CDPATH", "FPATH", "ZDOTDIR"],
  ...["GLOBIGNORE", "EXECIGNORE", "POSIXLY_CORRECT", "INPUTRC", "TMPDIR", "TMP", "TEMP"],
  // cmd.exe, PowerShell and Windows folders.
  ...["COMSPEC", "PATHEXT", "ERRORLEVEL", "PROMPT", "DIRCMD", "COPYCMD", "CD"],
  ...["CMDCMDLINE", "CMDEXTVERSION", "PSMODULEPATH", "PSEXECUTIONPOLICYPREFERENCE"],
  ...["WINDIR", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE"],
  ...["PROGRAMFILES", "PROGRAMW6432", "COMMONPROGRAMFILES", "COMMONPROGRAMW6432"],
  // Editors, pagers and browsers.
  ...["EDITOR", "VISUAL", "PAGER", "BROWSER", "FCEDIT", "EXINIT", "VIMINIT"],
  ...["MANPAGER", "MANPATH", "MANOPT", "MANROFFOPT"],
  // The loader and common libraries.
  ...["GCONV_PATH", "LOCPATH", "NLSPATH", "GLIBC_TUNABLES", "TERMINFO", "TERMCAP"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "HOSTALIASES", "LOCALDOMAIN"],
  ...["RES_OPTIONS"],
  // make, compilers, archivers.
  ...["MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKEFILES", "MAKEOVERRIDES"],
  ...["CC", "CXX", "CPP", "LD", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"],
  ...["COMPILER_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"],
  ...["CONFIG_SITE", "CONFIG_SHELL", "TAR_OPTIONS", "GZIP", "XZ_OPT", "XZ_DEFAULTS"],
  ...["ZIP", "ZIPOPT", "UNZIP", "UNZIPOPT"],
  // Languages.
  ...["CLASSPATH", "VIRTUAL_ENV", "PHPRC", "RUSTC", "RUSTDOC", "RUSTFLAGS", "RUSTDOCFLAGS"],
  ...["GOFLAGS", "GOROOT", "GOPATH", "GOBIN", "GOENV", "GOPROXY", "GOTOOLCHAIN"],
  ...["R_HOME", "R_ENVIRON", "R_PROFILE", "R_LIBS", "TCLLIBPATH"],
  // Other tools that run commands from their environment or configuration file.
  ...["GREP_OPTIONS", "AWKPATH", "AWKLIBPATH", "RIPGREP_CONFIG_PATH", "HGRCPATH", "HGEDITOR"],
  ...["FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "CURL_HOME", "WGETRC", "KUBECONFIG"],
  ...["DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT"],
  ...["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLAUDECODE"],
];

export const RESERVED_PREFIXES: readonly string[] = [
  ...["RAYMOND_", "ANTHROPIC_", "CLAUDE_", "CODEX_", "OPENAI_", "PI_CODING_", "PI_PACKAGE_"],
  ...["LD_", "DYLD_", "BASH_", "XDG_", "OPENSSL_"],
  ...["GIT_", "SSH_", "SUDO_", "SVN_", "CVS_", "RSYNC_", "LESS", "SYSTEMD_"],
  ...["PYTHON", "PIP_", "PYTEST_", "UV_", "POETRY_", "CONDA_", "PERL", "RUBY", "GEM_", "BUNDLE_"],
  ...["NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "COREPACK_"],
  ...["JAVA_", "_JAVA_", "JDK_", "MAVEN_", "GRADLE_", "ANT_", "PHP_", "LUA_"],
  ...["RUSTC_", "RUSTUP_", "CARGO_", "CGO_", "GCC_", "CMAKE_", "CCACHE_", "PKG_CONFIG"],
  ...["COR_", "CORECLR_", "DOTNET_", "COMPLUS_", "MSBUILD", "NUGET_", "__COMPAT_"],
  ...["ANSIBLE_", "TF_CLI_"],
  // Cached test results of configure scripts (lowercase).
  ...["AC_CV_", "AM_CV_", "LT_CV_"],
];

export const RESERVED_SUFFIXES: readonly string[] = ["_PROXY", "_PAGER", "_EDITOR", "_ASKPASS"];
