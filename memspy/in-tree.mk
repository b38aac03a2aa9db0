# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `configure --with-valgrind-source` makes the Makefile of: the work is done by the Makefile of Valgrind's tree,
# once memspy is in it.

tree = @TREE@
checkout = @CHECKOUT@
prefix = @PREFIX@
options = --enable-only64bit --prefix=$(prefix) @OPTIONS@
MAKEFLAGS += --no-print-directory

all: configured
	perl $(checkout)/perl/add_to_valgrind $(checkout) $(tree)
	$(MAKE) -C $(tree)

# Anew when the options change; everything else Valgrind's own makefiles see to. Objects hold the prefix and are for one
# machine, which make does not know: with other options than the last time, all are made again.
last_options = $(tree)/memspy/configured-with
configured: Makefile
	perl $(checkout)/perl/add_to_valgrind $(checkout) $(tree)
	cd $(tree) && ./autogen.sh && ./configure -q $(options)
	echo "$(options)" | cmp -s - $(last_options) || $(MAKE) -C $(tree) clean
	echo "$(options)" >$(last_options)
	touch $@

install: all
	$(MAKE) -C $(tree) install
	mkdir -p $(DESTDIR)$(prefix)/share/doc/memspy/demo
	cp $(checkout)/docs/*.md $(checkout)/docs/*.rng $(checkout)/docs/*.json $(checkout)/docs/*.tsv $(DESTDIR)$(prefix)/share/doc/memspy
	cp $(checkout)/tests/demo/*.c $(DESTDIR)$(prefix)/share/doc/memspy/demo
	cp $(checkout)/perl/memspy_control $(DESTDIR)$(prefix)/bin

# Valgrind's own regression driver, on memspy's tests.
check: all
	$(MAKE) -C $(tree)/tests check
	$(MAKE) -C $(tree)/memspy check
	cd $(tree) && perl tests/vg_regtest memspy

clean:
	$(MAKE) -C $(tree) clean

.PHONY: all install check clean
