package nod_test

import ()
