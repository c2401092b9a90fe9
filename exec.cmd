@rem "exec" of the scripts in package.json, for cmd.exe. In a POSIX shell it takes the shell out of the way:
@rem some shells end with the signal of Ctrl-C although the program they ran has ended with 0.
@%*
