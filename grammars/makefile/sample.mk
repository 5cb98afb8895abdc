# A sample.
CC = gcc
all: a.o b.o
	$(CC) -o all a.o b.o
ifdef DEBUG
CFLAGS = -g
endif
define text
some
endef
.PHONY: all
