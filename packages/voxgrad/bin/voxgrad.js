#!/usr/bin/env node
// A file that is there before the build, so that installing links it.
import '../dist/cli.js';
