// Makes a program that is started with `--expose-gc --import` this collect its garbage when it gets SIGUSR2.

process.on('SIGUSR2', () => globalThis.gc());
