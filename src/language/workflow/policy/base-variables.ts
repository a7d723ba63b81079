/**
 * The variables that a step receives even where its environment is limited (docs/environment.md,
 * "Base variables"). `PREFIX_*` matches all names that start with `PREFIX_`.
 */
export const BASE_VARIABLES: readonly string[] = [
  // The user, the shell and the terminal.
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMP", "TEMP", "PWD"],
  ...["TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"],
  ...["LANG", "LANGUAGE", "LC_*", "TZ", "XDG_*", "__CF_USER_TEXT_ENCODING"],
  // Settings of raymond, for a step that starts it.
  "RAYMOND_*",
  // Proxies and certificates.
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA"],
  ...["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE"],
  // The author of commits.
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
  // Folders of languages and tools.
  ...["JAVA_HOME", "ANDROID_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME"],
  ...["NVM_DIR", "NVM_BIN", "VOLTA_HOME", "PNPM_HOME", "PYENV_ROOT", "RBENV_ROOT"],
  ...["VIRTUAL_ENV", "CONDA_PREFIX", "DOTNET_ROOT", "HOMEBREW_PREFIX"],
  // Windows.
  ...["SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS", "PSModulePath"],
  ...["USERPROFILE", "USERNAME", "USERDOMAIN", "COMPUTERNAME", "HOMEDRIVE", "HOMEPATH"],
  ...["APPDATA", "LOCALAPPDATA", "ProgramData", "ALLUSERSPROFILE", "PUBLIC"],
  ...["ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "CommonProgramFiles"],
  ...["CommonProgramFiles(x86)", "CommonProgramW6432", "NUMBER_OF_PROCESSORS"],
  ...["PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER", "WSL_*"],
];

/** The variables that Claude Code needs in addition. */
export const AGENT_VARIABLES: readonly string[] = [
  ...["ANTHROPIC_*", "CLAUDE_*", "API_TIMEOUT_MS", "IS_SANDBOX", "DISABLE_*", "DO_NOT_TRACK"],
  ...["MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT"],
  ...["BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH"],
  ...["USE_BUILTIN_RIPGREP", "CLAUDECODE"],
];

/** Variables of other providers of Claude models: passed while the switch is on. */
export const PROVIDER_VARIABLES: readonly {
  readonly switch: string;
  readonly names: readonly string[];
}[] = [
  { switch: "CLAUDE_CODE_USE_BEDROCK", names: ["AWS_*"] },
  {
    switch: "CLAUDE_CODE_USE_VERTEX",
    names: ["GOOGLE_*", "GCLOUD_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_*"],
  },
  { switch: "CLAUDE_CODE_USE_FOUNDRY", names: ["AZURE_*"] },
  { switch: "CLAUDE_CODE_ENABLE_TELEMETRY", names: ["OTEL_*"] },
];
