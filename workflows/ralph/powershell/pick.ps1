# The work of PICK.bat: PICK.sh says what it is about.
$ErrorActionPreference = "Stop"
$todo = if ($env:todo) { $env:todo } else { "TODO.md" }
$most = if ($env:max_rounds) { [int]$env:max_rounds } else { 20 }
$open = @(Get-Content -LiteralPath $todo -Encoding UTF8 | Where-Object { $_.StartsWith("- [ ] ") })

$round = 1
if (Test-Path ralph\round) { $round = [int](Get-Content ralph\round) + 1 }
if ($open.Count -eq 0) {
  Write-Output "<result>No item of $todo is open, rounds: $($round - 1)</result>"
  exit 0
}
if ($round -gt $most) {
  Write-Output "<result>Stopped, rounds: $($round - 1), items still open in ${todo}: $($open.Count)</result>"
  exit 0
}
Set-Content ralph\round $round

$item = $open[0].Substring(6)
$before = if (Test-Path ralph\item.md) { Get-Content ralph\item.md -Encoding UTF8 -TotalCount 1 } else { "" }
if ($before -cne $item) { Remove-Item ralph\check.log -ErrorAction SilentlyContinue }
Set-Content ralph\item.md $item -Encoding UTF8
Write-Output "<reset>WORK</reset>"
