@echo off
node "%~dp0..\raymond.js" %*
