#!/usr/bin/env perl
# Runs a program as on a machine that makes no user namespaces: as Docker's default seccomp profile does, without a container.
#   perl test/support/without-namespaces.pl npm start
# --no-chroot refuses chroot alone, which is what a container without capabilities does when its profile allows the namespaces.
use strict;
use warnings;

# prctl, clone, unshare, clone3, chroot; Linux keeps these numbers for ever.
my %CALLS = (x86_64 => [157, 56, 272, 435, 161], aarch64 => [167, 220, 97, 435, 51]);
my ($PR_SET_SECCOMP, $PR_SET_NO_NEW_PRIVS, $FILTER_MODE) = (22, 38, 2);
my ($LOAD, $IS_EQUAL, $HAS_BITS, $RETURN) = (0x20, 0x15, 0x45, 0x06);
my ($ALLOW, $EPERM, $ENOSYS) = (0x7fff0000, 0x00050001, 0x00050026);
my $CLONE_NEWUSER = 0x10000000;
my ($NUMBER, $FIRST_ARGUMENT) = (0, 16); # offsets in struct seccomp_data

chomp(my $machine = `uname -m`);
my ($prctl, $clone, $unshare, $clone3, $chroot) = @{ $CALLS{$machine} // die "unknown machine $machine\n" };
my $only_chroot = @ARGV && $ARGV[0] eq '--no-chroot' && shift @ARGV;

# struct sock_filter: code, jump if true, jump if not, operand
my @program = $only_chroot
  ? ([$LOAD, 0, 0, $NUMBER], [$IS_EQUAL, 0, 1, $chroot], [$RETURN, 0, 0, $EPERM], [$RETURN, 0, 0, $ALLOW])
  : (
    [$LOAD, 0, 0, $NUMBER],
    [$IS_EQUAL, 6, 0, $clone3], # its flags are in memory, where no filter looks: programs then use clone
    [$IS_EQUAL, 1, 0, $clone],
    [$IS_EQUAL, 0, 3, $unshare],
    [$LOAD, 0, 0, $FIRST_ARGUMENT],
    [$HAS_BITS, 0, 1, $CLONE_NEWUSER],
    [$RETURN, 0, 0, $EPERM],
    [$RETURN, 0, 0, $ALLOW],
    [$RETURN, 0, 0, $ENOSYS],
  );
my $filter = join '', map { pack 'SCCL', @$_ } @program;
my $description = pack 'S x6 P', scalar(@program), $filter;

syscall($prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall($prctl, $PR_SET_SECCOMP, $FILTER_MODE, $description, 0, 0) == 0 or die "seccomp: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
