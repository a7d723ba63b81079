# mark.ps1 SIGN: the same as mark.bash, which says what it is about.
param([string]$sign)
$ErrorActionPreference = "Stop"
if (-not (Test-Path ralph\item.md)) { exit 0 }
$list = if ($env:todo) { $env:todo } else { "TODO.md" }
$item = Get-Content ralph\item.md -Encoding UTF8 -TotalCount 1
$marked = $false
$lines = Get-Content -LiteralPath $list -Encoding UTF8 | ForEach-Object {
  if (-not $marked -and $_ -ceq "- [ ] $item") { $marked = $true; "- [$sign] $item" } else { $_ }
}
# Set-Content would put a byte order mark before the first line.
$part = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath("$list.part")
[IO.File]::WriteAllLines($part, [string[]]$lines)
Move-Item -LiteralPath $part $list -Force
Remove-Item ralph\item.md
